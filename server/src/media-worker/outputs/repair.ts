import { open, rename, rm, stat, truncate } from 'node:fs/promises'
import { measureMp4, remuxMp4 } from '../codecs/mp4-remuxer.ts'
import { playableEnd, readBoxes } from './mp4-boxes.ts'

/**
 * Repairs a recording that was cut off, in place: cuts the incomplete tail and writes the index. A recording that is
 * complete is only measured. Writing the index takes a copy; if the disk has no room for it, the file stays fragmented,
 * which players accept as well.
 * @returns the true duration and size, or null where nothing of it can be played (the file is then left as it was)
 * @throws when the file is there but cannot be read or changed
 */
export async function repairRecording(
  file: string,
): Promise<{ durationMs: number; sizeInBytes: number } | null> {
  const playable = await findPlayable(file)
  if (!playable) return null
  if (playable.fragmented) await truncate(file, playable.end)
  try {
    const { durationMs } = playable.fragmented ? await writeIndex(file) : await measureMp4(file)
    if (durationMs <= 0) return null
    return { durationMs: Math.round(durationMs), sizeInBytes: (await stat(file)).size }
  } catch {
    return null
  }
}

async function findPlayable(file: string): Promise<{ end: number; fragmented: boolean } | null> {
  const info = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!info?.isFile()) return null
  const handle = await open(file, 'r')
  try {
    return playableEnd(await readBoxes(handle, info.size))
  } finally {
    await handle.close()
  }
}

async function writeIndex(file: string): Promise<{ durationMs: number }> {
  const copy = `${file}.repairing`
  try {
    const result = await remuxMp4(file, copy)
    await flushToDisk(copy)
    await rename(copy, file)
    return result
  } catch {
    await rm(copy, { force: true })
    return measureMp4(file)
  }
}

/** The copy takes the place of the only original, so it must be on the disk before it does. */
async function flushToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
