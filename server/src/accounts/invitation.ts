import { newId } from '../ids.ts'
import { hashSessionSecret, newSessionSecret } from '../secrets/session-secret.ts'
import type { UserInvitationRecord } from '../storage/records.ts'

/** How long a one-time link works, in milliseconds. */
const LIFETIME_MS = 24 * 60 * 60 * 1000

/** The secret of a one-time link, which is available only now. */
export interface FreshInvitation {
  /** For the fragment of the link. Only its hash is stored. */
  secret: string
  /** Unix milliseconds. */
  expires_at: number
}

/**
 * A one-time link by which a user chooses a password.
 * @param userId null for an owner who has no name yet
 * @param now Unix milliseconds
 */
export function newInvitation(
  projectId: string,
  userId: string | null,
  now: number,
): { record: UserInvitationRecord; fresh: FreshInvitation } {
  const secret = newSessionSecret()
  const expires_at = now + LIFETIME_MS
  const hash = hashSessionSecret(secret)
  return {
    record: { id: newId(), project_id: projectId, user_id: userId, hash, expires_at, created_at: now },
    fresh: { secret, expires_at },
  }
}

/** Address of the page on which a one-time link is used, below the origin of the server. */
export const invitationPath = (secret: string, isOwner = false): string =>
  `/sign-in#${isOwner ? 'owner' : 'invitation'}=${secret}`
