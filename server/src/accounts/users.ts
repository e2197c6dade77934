import { type Actor, type AuditAction, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { Role } from '../resources/roles.ts'
import type { UserRecord } from '../storage/records.ts'
import { type Storage, UniqueViolation } from '../storage/storage.ts'
import { type FreshInvitation, newInvitation } from './invitation.ts'
import { nameKeyOf } from './password-sign-in.ts'

/** Users that a project may have. */
const USERS_MAX = 1000
const NAME = /^[A-Za-z0-9_.@+-]{1,100}$/

/** The users of all projects, as their owners see them. */
export interface Users {
  /** Oldest first. */
  list(projectId: string): Promise<UserRecord[]>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<UserRecord>
  /** @throws Refusal `provided_id_is_unrecognized` */
  getByName(projectId: string, name: string): Promise<UserRecord>
  /**
   * Adds a user who chooses a password by the link.
   * @throws Refusal `value_not_unique`, `invalid_parameter`, `invalid_state` when the project has too many users
   */
  add(projectId: string, name: string, role: Role, actor: Actor): Promise<UserRecord & FreshInvitation>
  /**
   * Makes a link for an owner who chooses name and password. Earlier ones of the project are void.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  inviteOwner(projectId: string, actor: Actor): Promise<FreshInvitation>
  /**
   * Gives a user another role, and signs the user out everywhere.
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_state` for the last owner
   */
  setRole(projectId: string, id: string, role: Role, actor: Actor): Promise<UserRecord>
  /**
   * Makes the password void and signs the user out everywhere. The link is for a new password.
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_state` for a user of the OpenID provider
   */
  reset(projectId: string, id: string, actor: Actor): Promise<UserRecord & FreshInvitation>
  /** @throws Refusal `provided_id_is_unrecognized`, `invalid_state` for the last owner */
  remove(projectId: string, id: string, actor: Actor): Promise<void>
}

const unrecognized = (attribute: string) => new Refusal('provided_id_is_unrecognized', { attribute })

/** Whether a user can sign in: one who has only been invited cannot. */
export const canSignIn = ({ password_hash, identity }: UserRecord): boolean =>
  password_hash !== null || identity !== null

/** @throws Refusal `invalid_parameter` */
export function checkUserName(name: string): void {
  if (NAME.test(name)) return
  const message = 'must have 1 to 100 letters A to Z, digits, and the characters _ . @ + -'
  throw new Refusal('invalid_parameter', { attribute: 'name', message })
}

/** A user without password, who has not signed in yet. */
export const newUser = (projectId: string, name: string, role: Role, now: number): UserRecord => ({
  id: newId(),
  project_id: projectId,
  name,
  name_key: nameKeyOf(name),
  role,
  password_hash: null,
  identity: null,
  last_sign_in_at: null,
  created_at: now,
})

/** @throws Refusal `value_not_unique` in place of the error of the database */
export async function refusingTakenName<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    throw new Refusal('value_not_unique', { attribute: 'name', cause: error })
  }
}

type Transaction = Pick<Storage, 'users' | 'userSessions' | 'userInvitations' | 'projects' | 'audit'>

/** Creates {@link Users}. */
export function createUsers({ storage, clock }: { storage: Storage; clock: Pick<Clock, 'now'> }): Users {
  /** Writes an act about a user into the audit log. */
  const note = (tx: Transaction, actor: Actor, action: AuditAction, user: UserRecord, details = {}) =>
    recordAct(
      tx,
      {
        actor,
        action,
        projectId: user.project_id,
        target: user.id,
        details: { name: user.name, ...details },
      },
      clock.now(),
    )

  /** Finds a user in a transaction in which no other owner can go. */
  async function hold(tx: Transaction, projectId: string, id: string) {
    const owners = await tx.users.holdOwners(projectId)
    const user = await tx.users.find(projectId, id)
    if (!user) throw unrecognized('id')
    const isLastOwner =
      user.role === 'owner' && canSignIn(user) && owners.filter(canSignIn).every((owner) => owner.id === id)
    return { user, isLastOwner }
  }

  return {
    list: (projectId) => storage.users.list(projectId, USERS_MAX),
    async get(projectId, id) {
      const user = await storage.users.find(projectId, id)
      if (!user) throw unrecognized('id')
      return user
    },
    async getByName(projectId, name) {
      const all = await storage.users.list(projectId, USERS_MAX)
      const user = all.find((one) => one.name_key === nameKeyOf(name))
      if (!user) throw unrecognized('name')
      return user
    },
    async add(projectId, name, role, actor) {
      checkUserName(name)
      const user = newUser(projectId, name, role, clock.now())
      const invited = newInvitation(projectId, user.id, clock.now())
      await refusingTakenName(
        storage.transaction(async (tx) => {
          if (!(await tx.projects.find(projectId))) throw unrecognized('project_id')
          if ((await tx.users.count(projectId)) >= USERS_MAX) {
            throw new Refusal('invalid_state', `The project has ${USERS_MAX} users. Remove some first.`)
          }
          await tx.users.insert(user)
          await tx.userInvitations.insert(invited.record)
          await note(tx, actor, 'user.add', user, { role })
        }),
      )
      return { ...user, ...invited.fresh }
    },
    async inviteOwner(projectId, actor) {
      const invited = newInvitation(projectId, null, clock.now())
      await storage.transaction(async (tx) => {
        if (!(await tx.projects.find(projectId))) throw unrecognized('project_id')
        await tx.userInvitations.deleteOfUser(projectId, null)
        await tx.userInvitations.insert(invited.record)
        await recordAct(tx, { actor, action: 'user.invite_owner', projectId }, clock.now())
      })
      return invited.fresh
    },
    setRole: (projectId, id, role, actor) =>
      storage.transaction(async (tx) => {
        const { user, isLastOwner } = await hold(tx, projectId, id)
        if (user.role === role) return user
        if (isLastOwner) throw lastOwner()
        await tx.userSessions.deleteOfUser(projectId, id)
        const changed = await tx.users.update(projectId, id, { role })
        await note(tx, actor, 'user.role', user, { from: user.role, to: role })
        return changed ?? user
      }),
    async reset(projectId, id, actor) {
      const invited = newInvitation(projectId, id, clock.now())
      return storage.transaction(async (tx) => {
        const { user } = await hold(tx, projectId, id)
        if (user.identity !== null) {
          const message = 'The user signs in with the OpenID provider and has no password here.'
          throw new Refusal('invalid_state', { attribute: 'id', message })
        }
        await tx.userSessions.deleteOfUser(projectId, id)
        await tx.userInvitations.deleteOfUser(projectId, id)
        await tx.userInvitations.insert(invited.record)
        await tx.users.update(projectId, id, { password_hash: null })
        await note(tx, actor, 'user.reset', user)
        return { ...user, password_hash: null, ...invited.fresh }
      })
    },
    remove: (projectId, id, actor) =>
      storage.transaction(async (tx) => {
        const { user, isLastOwner } = await hold(tx, projectId, id)
        if (isLastOwner) throw lastOwner()
        await tx.users.delete(projectId, id)
        await note(tx, actor, 'user.remove', user)
      }),
  }
}

const lastOwner = () =>
  new Refusal('invalid_state', {
    attribute: 'id',
    message: 'This is the last owner of the project. Make somebody else owner first.',
  })
