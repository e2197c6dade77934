import type { Clock } from '../clock.ts'
import type { InvitationState } from '../resources/invitation.ts'
import type { Storage } from '../storage/storage.ts'
import type { Conference } from './conference.ts'
import { findConferenceOf } from './conference-tokens.ts'
import type { LiveSessions } from './live-sessions.ts'

/** What a conference token invites to. */
export interface ShownInvitation {
  conference: Conference
  /** Name of the token; null for one without. */
  role: string | null
  state: InvitationState
  /** Unix milliseconds. */
  now: number
}

/** Invitations to conferences, by their tokens. */
export interface Invitations {
  /** @returns undefined if the value is not a conference token, or not one any more */
  read(token: string): Promise<ShownInvitation | undefined>
}

export function createInvitations(options: {
  storage: Storage
  clock: Clock
  sessions: Pick<LiveSessions, 'doorOf'>
}): Invitations {
  const { storage, clock, sessions } = options
  return {
    async read(token) {
      const found = await findConferenceOf(storage, token)
      if (!found) return undefined
      const { record, conference } = found
      const now = clock.now()
      const door = sessions.doorOf(conference.project_id, conference.id)
      return { conference, role: record.name, state: stateOf(conference, door, now), now }
    },
  }
}

function stateOf(
  { join_from, join_until }: Conference,
  door: ReturnType<LiveSessions['doorOf']>,
  now: number,
): InvitationState {
  if (join_from !== null && now < join_from) return 'early'
  if (join_until !== null && now > join_until) return 'over'
  if (door?.isLocked) return 'locked'
  return door?.isFull ? 'full' : 'open'
}
