import type { TrustedAuthority } from './authority.ts'
import { type Outcome, shellLine, type Wish } from './outcome.ts'
import { runProgram } from './run-program.ts'

const KEYCHAIN = '/Library/Keychains/System.keychain'

/** The command of macOS that adds the authority to the keychain of all users, or removes it. See security(1). */
export function keychainCommand(wish: Wish, { file, certificate }: TrustedAuthority): readonly string[] {
  if (wish === 'add') return ['security', 'add-trusted-cert', '-d', '-r', 'trustRoot', '-k', KEYCHAIN, file]
  const hash = certificate.fingerprint256.replaceAll(':', '')
  return ['security', 'delete-certificate', '-Z', hash, '-t', KEYCHAIN]
}

/** Puts the authority into the keychain of macOS, which Safari, Chrome and curl use, or takes it out. */
export async function changeKeychain(
  wish: Wish,
  authority: TrustedAuthority,
  env: Readonly<Record<string, string | undefined>>,
  isRoot: boolean,
): Promise<Outcome> {
  const outcome = { store: 'The keychain of macOS', place: KEYCHAIN }
  const find = ['security', 'find-certificate', '-c', authority.name, KEYCHAIN]
  const present = (await runProgram(find, env)).code === 0
  if (present === (wish === 'add')) return { ...outcome, status: 'unchanged' }
  const command = keychainCommand(wish, authority)
  const commands = [`sudo ${shellLine(command)}`]
  if (!isRoot) return { ...outcome, status: 'not done', reason: 'it asks for a password', commands }
  const { code, complaint } = await runProgram(command, env)
  if (code === 0) return { ...outcome, status: wish === 'add' ? 'added' : 'removed' }
  return { ...outcome, status: 'not done', reason: complaint, commands }
}
