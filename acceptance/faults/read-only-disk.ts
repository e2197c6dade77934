import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * A file system that can become read-only while a server has files open in it. `mount -o remount,ro` refuses that.
 * Needs root.
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
    // Without a journal, because the journal is not under test.
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
   * From now on no file can be created, changed or removed, not even open ones. SQLite's shared-memory file is
   * never protected, not for a moment: Linux ends a process (SIGBUS) that writes to such memory without permission.
   */
  async protect(): Promise<void> {
    const allButSharedMemory = [this.folder, '-not', '-name', 'parley.db-shm']
    await execute('find', [...allButSharedMemory, '-exec', 'chattr', '+i', '{}', '+'])
  }

  /** Reverts {@link protect}. */
  async unprotect(): Promise<void> {
    await execute('chattr', ['-R', '-i', this.folder])
  }

  /** Does what Linux does after a disk fault: the file system is read-only until it is mounted again. */
  async fail(): Promise<void> {
    const { stdout } = await execute('findmnt', ['-no', 'SOURCE', this.folder])
    await writeFile(`/sys/fs/ext4/${path.basename(stdout.trim())}/trigger_fs_error`, '1')
  }

  /** Checks the file system and mounts it again. Nobody may have files open in it. */
  async repair(): Promise<void> {
    await execute('umount', [this.folder])
    // Exit code 1: faults were found and repaired.
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
