import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Size of the probe file in bytes. */
const PROBE_BYTES = 4096
const FULL = new Set(['ENOSPC', 'EDQUOT'])
let probes = 0

/** Free space for this user on the file system of a folder. */
export interface DiskSpace {
  freeBytes: number
  /** Size of the whole file system. */
  totalBytes: number
  /** Null if the file system has no fixed number of files. */
  freeFiles: number | null
}

/** @throws when the folder cannot be reached */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeFiles: files > 0 ? ffree : null }
}

/**
 * Writes a small file into a folder, and removes it.
 * @returns null if that works; `full` if the disk is full; `unwritable` for any other reason, such as a read-only
 * disk
 */
export async function tryWriting(folder: string): Promise<'full' | 'unwritable' | null> {
  const probe = join(folder, `.probe-${process.pid}-${++probes}`)
  try {
    const handle = await open(probe, 'w', 0o600)
    try {
      const { bytesWritten } = await handle.write(Buffer.alloc(PROBE_BYTES))
      return bytesWritten === PROBE_BYTES ? null : 'full'
    } finally {
      await handle.close()
    }
  } catch (error) {
    return FULL.has((error as NodeJS.ErrnoException).code ?? '') ? 'full' : 'unwritable'
  } finally {
    await rm(probe, { force: true }).catch(() => {})
  }
}
