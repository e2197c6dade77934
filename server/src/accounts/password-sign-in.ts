import type { PasswordHashes } from '../secrets/password-hash.ts'
import type { UserRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

export { PasswordsBusy } from '../secrets/password-hash.ts'

/** Projects in which a name is tried, if the person does not say which. */
const PROJECTS_MAX = 8

/** What a person enters to sign in. */
export interface EnteredPassword {
  name: string
  password: string
  /** Null if the person did not say. */
  projectId: string | null
}

/** Checks names and passwords. */
export interface PasswordSignIn {
  /**
   * Takes the same time for known and unknown names.
   * @param admits whether the credentials of a project work at the host of the request
   * @throws PasswordsBusy
   */
  check(
    entered: EnteredPassword,
    admits: (projectId: string) => boolean | Promise<boolean>,
  ): Promise<UserRecord | undefined>
}

/** A name as it is compared. */
export const nameKeyOf = (name: string): string => name.trim().toLowerCase()

/** Creates {@link PasswordSignIn}. */
export function createPasswordSignIn({
  storage,
  passwords,
}: {
  storage: Pick<Storage, 'users'>
  passwords: PasswordHashes
}): PasswordSignIn {
  return {
    async check({ name, password, projectId }, admits) {
      const named = await storage.users.findByName(nameKeyOf(name), PROJECTS_MAX)
      const candidates: UserRecord[] = []
      for (const user of named) {
        const isMeant = projectId === null || user.project_id === projectId
        if (isMeant && user.password_hash !== null && (await admits(user.project_id))) candidates.push(user)
      }
      if (candidates.length === 0) await passwords.matches(password, null)
      for (const user of candidates) {
        if (await passwords.matches(password, user.password_hash)) return user
      }
      return undefined
    },
  }
}
