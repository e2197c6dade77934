import { access, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { ObjectStore } from '../../object-store/object-store.ts'
import { GrowingFile } from './growing-file.ts'
import { fragmentOffset, fragmentPrefix } from './object-keys.ts'

export interface RecordingFragmentsOptions {
  store: ObjectStore
  clock: Clock
  log: Logger
  /** Absolute path of the recordings folder. */
  folder: string
}

/** The fragments of recordings in the store: sends them while recordings run, and joins them when a file is lost. */
export class RecordingFragments {
  readonly #options: RecordingFragmentsOptions
  readonly #growing = new Map<string, GrowingFile>()

  constructor(options: RecordingFragmentsOptions) {
    this.#options = options
  }

  /** A recording writes to that file from now on. @param file path below the recordings folder */
  follow(file: string): void {
    const { folder, ...rest } = this.#options
    if (!this.#growing.has(file)) {
      this.#growing.set(file, new GrowingFile({ ...rest, file, path: join(folder, file) }))
    }
  }

  /** Nothing more is appended to the file. */
  async leave(file: string): Promise<void> {
    const growing = this.#growing.get(file)
    this.#growing.delete(file)
    await growing?.stop()
  }

  /**
   * Brings a file back that is not on this disk, as far as its fragments go.
   * @returns whether the file is there now
   * @throws when the store cannot be reached, or the disk is full
   */
  async bringBack(file: string): Promise<boolean> {
    const { folder, log } = this.#options
    const path = join(folder, file)
    if (await isThere(path)) return true
    const draft = `${path}.joining`
    try {
      const bytes = await this.#join(file, draft)
      if (bytes === 0) return false
      await rename(draft, path)
      log.warn({ file, bytes }, 'the file of a recording was not here and was joined from its fragments')
      return true
    } finally {
      await rm(draft, { force: true })
    }
  }

  /** Removes the fragments of a recording. */
  async remove(file: string): Promise<void> {
    const { store } = this.#options
    for await (const { key } of store.list(fragmentPrefix(file))) await store.remove(key)
  }

  /** @returns bytes that follow each other without a gap */
  async #join(file: string, to: string): Promise<number> {
    const { store, log } = this.#options
    const handle = await open(to, 'w', 0o600)
    try {
      let bytes = 0
      for await (const { key, size } of store.list(fragmentPrefix(file))) {
        const offset = fragmentOffset(key)
        if (offset > bytes) {
          log.error({ file, bytes, offset }, 'a fragment of a recording is missing; what follows is lost')
          break
        }
        let at = offset
        for await (const part of (await store.get(key)) as AsyncIterable<Buffer>) {
          await handle.write(part, 0, part.length, at)
          at += part.length
        }
        bytes = Math.max(bytes, offset + size)
      }
      await handle.sync()
      return bytes
    } finally {
      await handle.close()
    }
  }
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )
