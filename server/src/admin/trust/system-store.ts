import { accessSync, constants } from 'node:fs'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isAuthority, type TrustedAuthority } from './authority.ts'
import { type Outcome, shellLine, type Wish } from './outcome.ts'
import { runProgram } from './run-program.ts'

/** A store of a Linux system: a folder of certificates, and the program that makes bundles of them. */
export interface AnchorFolder {
  system: string
  folder: string
  /** Takes up what was added. */
  update: readonly string[]
  /** Takes up what was removed. Without `--fresh`, Debian keeps links to what is gone. */
  refresh: readonly string[]
}

/** The stores of Linux systems, in the order in which they are looked for. */
const ANCHOR_FOLDERS: readonly AnchorFolder[] = [
  {
    system: 'Debian, Ubuntu',
    folder: '/usr/local/share/ca-certificates',
    update: ['update-ca-certificates'],
    refresh: ['update-ca-certificates', '--fresh'],
  },
  {
    system: 'Fedora, RHEL',
    folder: '/etc/pki/ca-trust/source/anchors',
    update: ['update-ca-trust'],
    refresh: ['update-ca-trust'],
  },
  {
    system: 'openSUSE',
    folder: '/etc/pki/trust/anchors',
    update: ['update-ca-certificates'],
    refresh: ['update-ca-certificates'],
  },
  {
    system: 'Arch Linux',
    folder: '/etc/ca-certificates/trust-source/anchors',
    update: ['trust', 'extract-compat'],
    refresh: ['trust', 'extract-compat'],
  },
]

const STORE = "The system's store"

/** The store of this Linux system; undefined when it has none that is known. */
export function anchorFolder(known = ANCHOR_FOLDERS): AnchorFolder | undefined {
  return known.find(({ folder }) => {
    try {
      accessSync(folder, constants.F_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Puts the authority into the store of a Linux system, which curl and most programs use, or takes it out. */
export async function changeAnchors(
  wish: Wish,
  authority: TrustedAuthority,
  anchors: AnchorFolder | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Outcome> {
  if (!anchors) {
    const reason = 'none was found; install the package ca-certificates, and do this again'
    return { store: STORE, status: 'not done', place: '-', reason }
  }
  const file = join(anchors.folder, `${authority.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.crt`)
  const outcome = { store: `${STORE} (${anchors.system})`, place: file }
  const present = isAuthority(await readFile(file, 'utf8').catch(() => ''), authority)
  if (present === (wish === 'add')) return { ...outcome, status: 'unchanged' }
  try {
    if (wish === 'add') await addFile(file, authority)
    else await rm(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const mayNot = code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
    const reason = mayNot ? 'this user may not change it' : message
    return { ...outcome, status: 'not done', reason, commands: commands(wish, authority, file, anchors) }
  }
  const update = wish === 'add' ? anchors.update : anchors.refresh
  const { code, complaint } = await runProgram(update, env)
  if (code === 0) return { ...outcome, status: wish === 'add' ? 'added' : 'removed' }
  // Without the file, the next attempt starts over.
  if (wish === 'add') await rm(file, { force: true })
  const reason = `${update[0]} failed: ${code === null ? 'there is no such program' : complaint}`
  return { ...outcome, status: 'not done', reason, commands: commands(wish, authority, file, anchors) }
}

async function addFile(file: string, { certificate }: TrustedAuthority): Promise<void> {
  await writeFile(file, certificate.toString())
  // Every user reads it, whatever this process keeps from others by default.
  await chmod(file, 0o644)
}

function commands(wish: Wish, authority: TrustedAuthority, file: string, anchors: AnchorFolder): string[] {
  const steps =
    wish === 'add'
      ? [['install', '-m', '644', authority.file, file], anchors.update]
      : [['rm', '-f', file], anchors.refresh]
  return steps.map((words) => `sudo ${shellLine(words)}`)
}
