import { readdir, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** A certificate store of a browser: a folder with an NSS database. */
export interface BrowserStore {
  name: string
  folder: string
  /** The folder has no database yet. The browser takes it up once it is there. */
  isNew: boolean
}

type Env = Readonly<Record<string, string | undefined>>

/** Chromium and its relatives share one store per user; packages in sandboxes have one of their own. */
const CHROMIUM_STORES = ['.pki/nssdb', 'snap/chromium/current/.pki/nssdb', '.local/share/pki/nssdb']
const CHROMIUM_PROGRAMS = [
  'chromium',
  'chromium-browser',
  'chromium-headless-shell',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
  'vivaldi',
]

/** Folders of Firefox that have a folder for each profile. */
const FIREFOX_FOLDERS = [
  '.mozilla/firefox',
  '.config/mozilla/firefox',
  'snap/firefox/common/.mozilla/firefox',
  '.var/app/org.mozilla.firefox/.mozilla/firefox',
  'Library/Application Support/Firefox/Profiles',
]

/**
 * The stores of all browsers of a user. Chromium's store is listed even if it does not exist yet, when the browser is
 * installed: it would otherwise appear only after the first change.
 */
export async function browserStores(home: string, env: Env): Promise<BrowserStore[]> {
  const chromium = await existing(CHROMIUM_STORES.map((folder) => join(home, folder)))
  const stores = chromium.map((folder) => ({ name: 'Chromium, Chrome, Edge', folder, isNew: false }))
  const usual = join(home, '.pki/nssdb')
  if (!chromium.includes(usual) && (await isOnPath(CHROMIUM_PROGRAMS, env))) {
    stores.push({ name: 'Chromium, Chrome, Edge', folder: usual, isNew: true })
  }
  for (const parent of FIREFOX_FOLDERS) {
    const profiles = await readdir(join(home, parent)).catch(() => [])
    const folders = await existing(profiles.map((profile) => join(home, parent, profile)))
    stores.push(...folders.map((folder) => ({ name: 'Firefox', folder, isNew: false })))
  }
  return stores
}

/** Those folders that have a database. */
async function existing(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => isFile(join(folder, 'cert9.db'))))
  return folders.filter((_folder, index) => found[index])
}

async function isOnPath(programs: readonly string[], env: Env): Promise<boolean> {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  const files = folders.flatMap((folder) => programs.map((program) => join(folder, program)))
  return (await Promise.all(files.map(isFile))).includes(true)
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  )
}
