import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const BLOCK = Buffer.alloc(64 * 1024)

/** A file system in memory that a test can fill up. Mounting it needs root. */
export class SmallDisk {
  readonly folder: string
  readonly #filler: string

  private constructor(folder: string) {
    this.folder = folder
    this.#filler = path.join(folder, 'filler')
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(path.join(tmpdir(), 'parley-small-disk-'))
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder])
    return new SmallDisk(folder)
  }

  /** Uses up all free space. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'a')
    try {
      for (let size = BLOCK.length; size >= 512; size /= 2) await this.#append(file, BLOCK.subarray(0, size))
    } finally {
      await file.close()
    }
  }

  async #append(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
    try {
      for (;;) await file.appendFile(block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }

  /** Frees the space again. */
  async empty(): Promise<void> {
    await rm(this.#filler, { force: true })
  }

  async unmount(): Promise<void> {
    await execute('umount', ['--lazy', this.folder])
    await rm(this.folder, { recursive: true, force: true })
  }
}
