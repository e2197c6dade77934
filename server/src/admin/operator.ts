import { userInfo } from 'node:os'
import type { Actor } from '../audit/audit.ts'

/**
 * The person who runs the command, for the audit log: the OS user of the process, and the user who called sudo. The
 * system guarantees only the first. The second comes from the environment, which can be forged.
 * @param env the environment of the process
 */
export function operator(env: Readonly<Record<string, string | undefined>>): Actor {
  const user = nameOfUser()
  const { SUDO_USER: sudoer } = env
  const isOther = sudoer !== undefined && sudoer !== '' && sudoer !== user
  return { kind: 'os-user', name: isOther ? `${user} (sudo by ${sudoer.slice(0, 100)})` : user }
}

/** Name of the OS user, or its number: containers often run under a number without a name. */
function nameOfUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
