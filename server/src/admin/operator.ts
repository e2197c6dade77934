import { userInfo } from 'node:os'
import type { Actor } from '../audit/audit.ts'

/**
 * Who runs the command, for the audit log: the OS user of the process, and who took its place by sudo. The system vouches
 * for the first only; the second is what the environment says.
 * @param env the environment of the process
 */
export function operator(env: Readonly<Record<string, string | undefined>>): Actor {
  const user = nameOfUser()
  const { SUDO_USER: sudoer } = env
  const isOther = sudoer !== undefined && sudoer !== '' && sudoer !== user
  return { kind: 'os-user', name: isOther ? `${user} (sudo by ${sudoer.slice(0, 100)})` : user }
}

/** Containers often run under a number that has no name. */
function nameOfUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
