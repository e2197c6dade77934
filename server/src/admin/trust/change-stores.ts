import type { TrustedAuthority } from './authority.ts'
import { browserStores } from './browser-stores.ts'
import { changeKeychain } from './keychain.ts'
import { changeBrowserStore } from './nss-database.ts'
import type { Outcome, Wish } from './outcome.ts'
import { type AnchorFolder, anchorFolder, changeAnchors } from './system-store.ts'

/** Which stores to change. */
export type Stores = 'all' | 'system' | 'browsers'

/** The machine and its user. */
export interface Machine {
  platform: NodeJS.Platform
  /** Home folder of the user whose browsers are meant. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  isRoot: boolean
  /** The store of the system, on Linux; undefined when it has none. */
  anchors: AnchorFolder | undefined
}

/** The machine on which this process runs. */
export function thisMachine(env: Machine['env'], home: string): Machine {
  const isRoot = process.getuid?.() === 0
  return { platform: process.platform, home, env, isRoot, anchors: anchorFolder() }
}

/** Changes one store after the other, and tells what happened to each. */
export async function* changeStores(
  wish: Wish,
  authority: TrustedAuthority,
  stores: Stores,
  machine: Machine,
): AsyncGenerator<Outcome> {
  const { platform, env, home, isRoot, anchors } = machine
  if (stores !== 'browsers') {
    if (platform === 'darwin') yield changeKeychain(wish, authority, env, isRoot)
    else yield changeAnchors(wish, authority, anchors, env)
  }
  if (stores === 'system') return
  if (isRoot && env.SUDO_USER && env.SUDO_USER !== 'root') {
    yield browsersOfSomebodyElse(wish, env.SUDO_USER)
    return
  }
  for (const store of await browserStores(home, env)) {
    yield changeBrowserStore(wish, authority, store, env)
  }
}

/** Root would leave files behind in the user's home folder that the user's browsers cannot change. */
function browsersOfSomebodyElse(wish: Wish, user: string): Outcome {
  return {
    store: 'Browsers',
    status: 'not done',
    place: `those of ${user}`,
    reason: `they belong to ${user}, and this is root; do it without sudo`,
    commands: [`npx parley trust --only browsers${wish === 'remove' ? ' --remove' : ''}`],
  }
}
