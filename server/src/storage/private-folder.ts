import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Permission bits of the group and of everybody else. */
const OTHERS = 0o077

/** File mode creation mask of every process of the server. Its files are accessible to its own user only. */
export const OWNER_ONLY_UMASK = 0o077

/** The folder belongs to another user. The message says to which one, and what to do. */
export class ForeignFolder extends Error {
  override readonly name = 'ForeignFolder'
}

/**
 * Creates a folder that only its owner can enter. If the folder exists and is open to others, closes it to them,
 * together with its direct content.
 * @returns whether an existing folder had to be closed
 * @throws ForeignFolder when it belongs to another user, and this process is not root
 */
export function makePrivateFolder(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = statSync(folder)
  checkOwner(folder, stats)
  if ((stats.mode & OTHERS) === 0) return false
  // The folder first: from then on, nobody else reaches its content.
  chmodSync(folder, stats.mode & 0o700)
  for (const name of readdirSync(folder)) closeToOthers(join(folder, name))
  return true
}

function closeToOthers(place: string): void {
  const stats = lstatSync(place)
  if (stats.isSymbolicLink() || (stats.mode & OTHERS) === 0) return
  chmodSync(place, stats.mode & 0o700)
}

function checkOwner(folder: string, { uid }: Stats): void {
  const own = process.getuid?.()
  if (own === undefined || own === 0 || own === uid) return
  throw new ForeignFolder(
    `it belongs to the user with id ${uid}, and this is the user with id ${own}. ` +
      `Start the server as its owner, or give it away with "chown -R ${own} ${folder}".`,
  )
}
