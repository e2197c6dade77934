import { existsSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diskSpace } from '../../storage/disk-space.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'

const GB = 1e9
/** Enough for a few hours of recordings. */
const LITTLE_SPACE = 5 * GB
const FEW_FILES = 1000

const TEST_BYTES = 32 * 1024 * 1024
const SYNCS = 30
/** Bytes per second. A few simultaneous recordings of 720p need a tenth of this. */
const SLOW_WRITING = 10e6
/** Each request that changes something waits for one write to the disk. */
const SLOW_SYNC_MS = 30

/** Examines the data folder: its owner, its free space, and its speed. */
export const disk: Examination = {
  subject: 'Data folder',
  async examine({ config }: Patient) {
    const { dataDir } = config
    const found = await stat(dataDir).catch(() => undefined)
    if (!found) {
      const folder = nearestFolder(dataDir)
      return [
        ok('Data folder', `${dataDir}, made at the first start`),
        await space(folder, config.minFreeBytes),
        await speed(folder),
      ]
    }
    if (!found.isDirectory()) {
      return [failed('Data folder', `${dataDir} is no folder`, 'Set PARLEY_DATA_DIR to another place.')]
    }
    return [privacy(dataDir, found.mode), await space(dataDir, config.minFreeBytes), await speed(dataDir)]
  },
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

function privacy(folder: string, mode: number): Finding {
  if ((mode & 0o077) === 0) return ok('Data folder', `${folder}, readable to its owner alone`)
  return warning('Data folder', `${folder} is open to others than its owner`, `chmod 700 ${folder}`)
}

/** @param minFreeBytes with less free space, the server does not record */
async function space(folder: string, minFreeBytes: number): Promise<Finding> {
  const { freeBytes, freeFiles } = await diskSpace(folder)
  const detail = `${(freeBytes / GB).toFixed(1)} GB free`
  const advice = 'Recordings take about 1 GB an hour at 720p. Make room, or delete old recordings.'
  if (freeBytes < minFreeBytes) return failed('Disk space', detail, advice)
  if (freeFiles !== null && freeFiles < FEW_FILES) {
    return failed('Disk space', `room for ${freeFiles} more files`, advice)
  }
  return freeBytes < LITTLE_SPACE ? warning('Disk space', detail, advice) : ok('Disk space', detail)
}

async function speed(folder: string): Promise<Finding> {
  const file = join(folder, `.doctor-${process.pid}`)
  try {
    const { bytesPerSecond, syncMs } = await measure(file)
    const detail = `${(bytesPerSecond / 1e6).toFixed(0)} MB/s; a write is safe after ${syncMs.toFixed(1)} ms`
    if (bytesPerSecond >= SLOW_WRITING && syncMs <= SLOW_SYNC_MS) return ok('Disk speed', detail)
    return warning('Disk speed', detail, 'Recordings and the database want a local disk, best an SSD.')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failed('Disk speed', `cannot write: ${reason}`, 'The server must own its data folder.')
  } finally {
    await rm(file, { force: true })
  }
}

async function measure(file: string): Promise<{ bytesPerSecond: number; syncMs: number }> {
  const handle = await open(file, 'wx', 0o600)
  try {
    const block = Buffer.alloc(1024 * 1024, 'parley')
    const startedAt = performance.now()
    for (let written = 0; written < TEST_BYTES; written += block.length) await handle.write(block)
    await handle.sync()
    const bytesPerSecond = TEST_BYTES / ((performance.now() - startedAt) / 1000)
    const times: number[] = []
    for (let count = 0; count < SYNCS; count++) {
      const from = performance.now()
      await handle.write(block, 0, 4096)
      await handle.datasync()
      times.push(performance.now() - from)
    }
    return { bytesPerSecond, syncMs: times.sort((a, b) => a - b)[SYNCS / 2] ?? 0 }
  } finally {
    await handle.close()
  }
}
