import { recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import {
  csrfTokenOf,
  hashSessionSecret,
  isSessionSecret,
  newSessionSecret,
} from '../secrets/session-secret.ts'
import type { UserRecord, UserSessionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

const HOUR_MS = 60 * 60 * 1000
/** A session that nobody used for this long is over, in milliseconds. */
export const IDLE_MS = 12 * HOUR_MS
/** Longest life of a session, in milliseconds. */
export const LIFETIME_MS = 7 * 24 * HOUR_MS
/** Precision of the time of last use, in milliseconds. */
const USE_STEP_MS = 60_000
const USER_AGENT_MAX = 300

/** How a user signed in, for the audit log. */
export type SignInWay = 'password' | 'invitation' | 'openid'

/** A user in a browser in which the user has signed in. */
export interface SignedInUser {
  session: UserSessionRecord
  user: UserRecord
}

/** The sessions of users: browsers in which they are signed in. */
export interface UserSessions {
  /**
   * Starts a session and ends the one that the browser had, so that a secret from before the sign-in is worth nothing.
   * @param earlier secret of the session that the browser had
   * @returns the secret for the cookie; only its hash is stored
   */
  start(user: UserRecord, way: SignInWay, userAgent: string, earlier?: string): Promise<string>
  /** The session of a secret, unless it is over. */
  find(secret: string): Promise<SignedInUser | undefined>
  /** Whether a secret is that of a session that is not over. It does not count as use. */
  isGood(secret: string): Promise<boolean>
  /** What the page of a session sends beside the cookie with every change. */
  csrfToken(secret: string): string
  /** The sessions of a user that are not over. The one used last comes first. */
  list(projectId: string, userId: string): Promise<UserSessionRecord[]>
  /** @returns whether it was there */
  end(user: UserRecord, id: string): Promise<boolean>
}

/** Creates {@link UserSessions}. */
export function createUserSessions({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'userSessions' | 'transaction'>
  clock: Pick<Clock, 'now'>
}): UserSessions {
  const isOver = ({ last_used_at, expires_at }: UserSessionRecord) => {
    const now = clock.now()
    return now >= expires_at || now - last_used_at >= IDLE_MS
  }

  async function current(secret: string): Promise<SignedInUser | undefined> {
    if (!isSessionSecret(secret)) return undefined
    const found = await storage.userSessions.findByHash(hashSessionSecret(secret))
    return found && !isOver(found.session) ? found : undefined
  }

  function noteUse({ id, project_id, last_used_at }: UserSessionRecord): void {
    const now = clock.now()
    if (now - last_used_at < USE_STEP_MS) return
    storage.userSessions.touch(project_id, id, now).catch(() => {})
  }

  return {
    async start(user, way, userAgent, earlier) {
      const now = clock.now()
      const secret = newSessionSecret()
      const session: UserSessionRecord = {
        id: newId(),
        project_id: user.project_id,
        user_id: user.id,
        hash: hashSessionSecret(secret),
        user_agent: userAgent
          .replaceAll(/\p{Cc}/gu, ' ')
          .slice(0, USER_AGENT_MAX)
          .toWellFormed(),
        last_used_at: now,
        expires_at: now + LIFETIME_MS,
        created_at: now,
      }
      await storage.transaction(async (tx) => {
        await tx.userSessions.deleteOver(now - IDLE_MS, now)
        const had =
          earlier === undefined ? undefined : await tx.userSessions.findByHash(hashSessionSecret(earlier))
        if (had) await tx.userSessions.delete(had.session.project_id, had.session.user_id, had.session.id)
        await tx.userSessions.insert(session)
        await tx.users.update(user.project_id, user.id, { last_sign_in_at: now })
        await recordAct(tx, { ...actBy(user, 'user.sign_in'), details: { way } }, now)
      })
      return secret
    },
    async find(secret) {
      const found = await current(secret)
      if (found) noteUse(found.session)
      return found
    },
    isGood: async (secret) => (await current(secret)) !== undefined,
    csrfToken: csrfTokenOf,
    async list(projectId, userId) {
      const all = await storage.userSessions.listOfUser(projectId, userId)
      return all.filter((session) => !isOver(session))
    },
    end: (user, id) =>
      storage.transaction(async (tx) => {
        if (!(await tx.userSessions.delete(user.project_id, user.id, id))) return false
        await recordAct(tx, actBy(user, 'user.sign_out'), clock.now())
        return true
      }),
  }
}

const actBy = ({ id, name, project_id }: UserRecord, action: 'user.sign_in' | 'user.sign_out') => ({
  actor: { kind: 'user', name } as const,
  action,
  projectId: project_id,
  target: id,
})
