import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { OperatorError } from '../../errors/operator-error.ts'

/** Description of a backup. It is written last, so a folder without it is an incomplete backup. */
export interface Manifest {
  /** Version of this file format. */
  format: 1
  /** ISO 8601. */
  created_at: string
  /** Version of the server that made the backup. */
  parley: string
  database: 'sqlite' | 'postgresql'
  /** Every other file of the backup: path with slashes, size in bytes, SHA-256 in hexadecimal, which older backups lack. */
  files: { path: string; size: number; sha256?: string }[]
}

export const MANIFEST_FILE = 'backup.json'
/** An SQLite file. */
export const SQLITE_FILE = 'parley.db'
/** An archive of `pg_dump`. */
export const POSTGRES_FILE = 'database.dump'

/** @throws OperatorError when the folder has no complete backup that this version can read */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string
  try {
    text = await readFile(join(folder, MANIFEST_FILE), 'utf8')
  } catch (error) {
    throw new OperatorError(`${folder} is no backup: it has no ${MANIFEST_FILE}.`, { cause: error })
  }
  const manifest = parse(text)
  if (!manifest) throw new OperatorError(`${join(folder, MANIFEST_FILE)} is damaged.`)
  if (manifest.format !== 1) {
    throw new OperatorError('The backup was made by a newer version of Parley; restore it with that version.')
  }
  return manifest
}

function parse(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('format' in value)) return undefined
    const areFiles = 'files' in value && Array.isArray(value.files) && value.files.every(isFile)
    return areFiles || value.format !== 1 ? (value as Manifest) : undefined
  } catch {
    return undefined
  }
}

/** Whether an entry is a file with a path that stays inside of the backup. */
function isFile(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null || !('path' in entry) || !('size' in entry)) return false
  const { path, size } = entry
  const isInside = typeof path === 'string' && !isAbsolute(path) && !path.split(/[\\/]/).includes('..')
  return isInside && typeof size === 'number'
}
