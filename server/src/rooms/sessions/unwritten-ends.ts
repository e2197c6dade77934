import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The end of a session that the database did not take before the server ended. */
export interface UnwrittenEnd {
  sessionId: string
  endedAt: number
  reason: string
}

const fileIn = (folder: string) => join(folder, 'unwritten-ends.json')

/** Keeps the ends of sessions for the next start, which writes them to the database. */
export async function keepUnwrittenEnds(folder: string, ends: readonly UnwrittenEnd[]): Promise<void> {
  await writeFile(fileIn(folder), JSON.stringify(ends), { mode: 0o600, flush: true })
}

/** What the last run kept, by session id; nothing where the file is absent or cut off. */
export async function readUnwrittenEnds(folder: string): Promise<ReadonlyMap<string, UnwrittenEnd>> {
  try {
    const ends = JSON.parse(await readFile(fileIn(folder), 'utf8')) as UnwrittenEnd[]
    const sound = ends.filter(({ endedAt, reason }) => Number.isFinite(endedAt) && typeof reason === 'string')
    return new Map(sound.map((end) => [end.sessionId, end]))
  } catch {
    return new Map()
  }
}

/** They are in the database. */
export async function forgetUnwrittenEnds(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true })
}
