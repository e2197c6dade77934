import { recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { Role } from '../resources/roles.ts'
import type { PasswordHashes } from '../secrets/password-hash.ts'
import { hashSessionSecret, isSessionSecret } from '../secrets/session-secret.ts'
import type { ProjectRecord, UserInvitationRecord, UserRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { checkPassword } from './password-rules.ts'
import type { SignedInUser } from './user-sessions.ts'
import { checkUserName, newUser, refusingTakenName } from './users.ts'

/** What a one-time link invites to. */
export interface UserInvitation {
  record: UserInvitationRecord
  project: ProjectRecord
  /** Null for an owner, who chooses the name. */
  name: string | null
  role: Role
}

/** What people do with their own accounts. */
export interface OwnAccounts {
  /** The invitation of a secret; undefined if it does not exist, was used, or is over. */
  readInvitation(secret: string): Promise<UserInvitation | undefined>
  /**
   * Uses an invitation up: the user has the password from now on.
   * @param name for an owner who has no name yet; otherwise ignored
   * @throws Refusal `invalid_parameter`, `missing_required_parameter`, `value_not_unique`; the invitation is still good then.
   * `token_invalid` when it was used meanwhile
   * @throws PasswordsBusy
   */
  accept(invitation: UserInvitation, name: string | null, password: string): Promise<UserRecord>
  /**
   * @returns whether the password is the present one
   * @throws PasswordsBusy
   */
  isPassword(user: UserRecord, password: string): Promise<boolean>
  /**
   * Sets a new password, and ends all other sessions of the user.
   * @throws Refusal `invalid_parameter`
   * @throws PasswordsBusy
   */
  changePassword(signedIn: SignedInUser, password: string): Promise<void>
}

/** Creates {@link OwnAccounts}. */
export function createOwnAccounts({
  storage,
  clock,
  passwords,
}: {
  storage: Storage
  clock: Pick<Clock, 'now'>
  passwords: PasswordHashes
}): OwnAccounts {
  async function namesAround(projectId: string, name: string): Promise<string[]> {
    const project = await storage.projects.find(projectId)
    return [name, ...(project ? [project.name] : [])]
  }

  return {
    async readInvitation(secret) {
      if (!isSessionSecret(secret)) return undefined
      const record = await storage.userInvitations.findByHash(hashSessionSecret(secret))
      if (!record || record.expires_at <= clock.now()) return undefined
      const project = await storage.projects.find(record.project_id)
      if (!project) return undefined
      const user =
        record.user_id === null ? null : await storage.users.find(record.project_id, record.user_id)
      return { record, project, name: user?.name ?? null, role: user?.role ?? 'owner' }
    },

    async accept({ record, project, name: invited, role }, chosen, password) {
      const name = invited ?? chosen
      if (name === null) throw new Refusal('missing_required_parameter', { attribute: 'name' })
      checkUserName(name)
      checkPassword(password, [name, project.name])
      const password_hash = await passwords.make(password)
      const now = clock.now()
      return refusingTakenName(
        storage.transaction(async (tx) => {
          if (!(await tx.userInvitations.delete(project.id, record.id))) throw new Refusal('token_invalid')
          const user: UserRecord = { ...newUser(project.id, name, role, now), password_hash }
          const known =
            record.user_id !== null && (await tx.users.update(project.id, record.user_id, { password_hash }))
          if (record.user_id !== null && !known) throw new Refusal('token_invalid')
          if (known) await tx.userSessions.deleteOfUser(project.id, known.id)
          else await tx.users.insert(user)
          const accepted = known || user
          const actor = { kind: 'user', name } as const
          await recordAct(
            tx,
            { actor, action: 'user.accept', projectId: project.id, target: accepted.id },
            now,
          )
          return accepted
        }),
      )
    },

    isPassword: (user, password) => passwords.matches(password, user.password_hash),

    async changePassword({ user, session }, password) {
      const { project_id: projectId, id, name } = user
      checkPassword(password, await namesAround(projectId, name))
      const password_hash = await passwords.make(password)
      await storage.transaction(async (tx) => {
        await tx.users.update(projectId, id, { password_hash })
        await tx.userSessions.deleteOfUser(projectId, id, session.id)
        const actor = { kind: 'user', name } as const
        await recordAct(tx, { actor, action: 'user.password', projectId, target: id }, clock.now())
      })
    },
  }
}
