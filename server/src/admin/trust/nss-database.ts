import { mkdir } from 'node:fs/promises'
import { isAuthority, type TrustedAuthority } from './authority.ts'
import type { BrowserStore } from './browser-stores.ts'
import type { Outcome, Wish } from './outcome.ts'
import { type ProgramRun, runProgram } from './run-program.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Trusted to issue certificates of servers, and nothing else. See certutil(1). */
const TRUST = 'C,,'

const INSTALL_CERTUTIL =
  'the program certutil is missing; install it and do this again (Debian, Ubuntu: sudo apt install libnss3-tools; Fedora: sudo dnf install nss-tools; openSUSE: sudo zypper install mozilla-nss-tools; Arch Linux: sudo pacman -S nss; macOS: brew install nss)'

/** Puts the authority into the store of a browser, or takes it out. */
export async function changeBrowserStore(
  wish: Wish,
  authority: TrustedAuthority,
  store: BrowserStore,
  env: Env,
): Promise<Outcome> {
  const outcome = { store: store.name, place: store.folder }
  const notDone = (reason: string): Outcome => ({ ...outcome, status: 'not done', reason })
  const certutil = (...args: string[]) => runProgram(['certutil', ...args, '-d', `sql:${store.folder}`], env)
  if (store.isNew) {
    if (wish === 'remove') return { ...outcome, status: 'unchanged' }
    const made = await makeDatabase(store, certutil)
    if (made !== undefined) return notDone(made)
  }
  const listed = await certutil('-L', '-a', '-n', authority.name)
  if (listed.code === null) return notDone(INSTALL_CERTUTIL)
  const present = isAuthority(listed.out, authority)
  if (wish === 'remove' && !present) return { ...outcome, status: 'unchanged' }
  if (wish === 'remove') {
    const { code, complaint } = await certutil('-D', '-n', authority.name)
    return code === 0 ? { ...outcome, status: 'removed' } : notDone(complaint)
  }
  // Its trust may have been taken away since.
  if (present && isTrusted((await certutil('-L')).out, authority)) return { ...outcome, status: 'unchanged' }
  const added = await certutil('-A', '-t', TRUST, '-n', authority.name, '-i', authority.file)
  if (added.code === 0) return { ...outcome, status: 'added' }
  // Without its trust it would count as one that the user has rejected.
  if (!present) await certutil('-D', '-n', authority.name)
  return notDone(reasonOf(added))
}

/** @param list all certificates of the database: a line each, of its name and what it is trusted for */
function isTrusted(list: string, { name }: TrustedAuthority): boolean {
  return list.split('\n').some((line) => line.startsWith(name) && line.slice(name.length).trim() === TRUST)
}

/** @returns why it could not be made */
async function makeDatabase(
  { folder }: BrowserStore,
  certutil: (...args: string[]) => Promise<ProgramRun>,
): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const made = await certutil('-N', '--empty-password')
  if (made.code === null) return INSTALL_CERTUTIL
  return made.code === 0 ? undefined : reasonOf(made)
}

function reasonOf({ complaint }: ProgramRun): string {
  const isLocked = /SEC_ERROR_(TOKEN_NOT_LOGGED_IN|BAD_PASSWORD)|password/i.test(complaint)
  if (!isLocked) return complaint
  return "it has a primary password; import the authority by the browser's own settings"
}
