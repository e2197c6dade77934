import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * A file system that can be made read-only beneath a server that has files open in it, which `mount -o remount,ro`
 * refuses to do. It takes root.
 */
export class ReadOnlyDisk {
  readonly folder: string
  readonly #image: string

  private constructor(folder: string, image: string) {
    this.folder = folder
    this.#image = image
  }

  static async mount(megabytes: number): Promise<ReadOnlyDisk> {
    const home = await mkdtemp(path.join(tmpdir(), 'parley-read-only-'))
    const [image, folder] = [path.join(home, 'image'), path.join(home, 'data')]
    await writeFile(image, '')
    await execute('truncate', ['-s', `${megabytes}M`, image])
    // Without a journal of its own, since what is tested is not that.
    await execute('mkfs.ext4', ['-q', '-O', '^has_journal', '-E', 'root_owner=0:0', image])
    await execute('mkdir', ['-m', '700', folder])
    const disk = new ReadOnlyDisk(folder, image)
    await disk.#attach()
    await execute('chmod', ['700', folder])
    await execute('rmdir', [path.join(folder, 'lost+found')])
    return disk
  }

  #attach(): Promise<unknown> {
    return execute('mount', ['-o', 'loop,errors=remount-ro', this.#image, this.folder])
  }

  /**
   * From now on no file can be made, changed or removed, also not those that are open. Left out is the part of SQLite's
   * database that is memory shared between its connections: Linux ends who writes there and may not (SIGBUS).
   */
  async protect(): Promise<void> {
    await execute('chattr', ['-R', '+i', this.folder])
    await execute('chattr', ['-i', path.join(this.folder, 'parley.db-shm')])
  }

  /** Takes that back. */
  async unprotect(): Promise<void> {
    await execute('chattr', ['-R', '-i', this.folder])
  }

  /** What Linux does when a disk has faults: the file system is read-only until it is mounted anew. */
  async fail(): Promise<void> {
    const { stdout } = await execute('findmnt', ['-no', 'SOURCE', this.folder])
    await writeFile(`/sys/fs/ext4/${path.basename(stdout.trim())}/trigger_fs_error`, '1')
  }

  /** Checks and mounts it anew; nobody may have files open in it. */
  async repair(): Promise<void> {
    await execute('umount', [this.folder])
    // 1: faults were found, and mended.
    await execute('fsck.ext4', ['-p', '-f', this.#image]).catch((error: { code?: number }) => {
      if (error.code !== 1) throw error
    })
    await this.#attach()
  }

  async unmount(): Promise<void> {
    await execute('umount', ['--lazy', this.folder])
    await rm(path.dirname(this.folder), { recursive: true, force: true })
  }
}
