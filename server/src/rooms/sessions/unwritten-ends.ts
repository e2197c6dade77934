import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The end of a session that the database did not accept before the server stopped. */
export interface UnwrittenEnd {
  sessionId: string
  endedAt: number
  reason: string
}

const fileIn = (folder: string) => join(folder, 'unwritten-ends.json')

/** Stores ends of sessions in a file. The next start writes them to the database. */
export async function keepUnwrittenEnds(folder: string, ends: readonly UnwrittenEnd[]): Promise<void> {
  await writeFile(fileIn(folder), JSON.stringify(ends), { mode: 0o600, flush: true })
}

/** Reads the file of the previous run. Keyed by session id. Empty if the file is absent or incomplete. */
export async function readUnwrittenEnds(folder: string): Promise<ReadonlyMap<string, UnwrittenEnd>> {
  try {
    const ends = JSON.parse(await readFile(fileIn(folder), 'utf8')) as UnwrittenEnd[]
    const sound = ends.filter(({ endedAt, reason }) => Number.isFinite(endedAt) && typeof reason === 'string')
    return new Map(sound.map((end) => [end.sessionId, end]))
  } catch {
    return new Map()
  }
}

/** Deletes the file, once its content is in the database. */
export async function forgetUnwrittenEnds(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true })
}
