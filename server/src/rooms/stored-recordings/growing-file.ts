import { type FileHandle, open } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { type ObjectStore, storeProblem } from '../../object-store/object-store.ts'
import { fragmentKey } from './object-keys.ts'

/**
 * Between two looks at the file. Its writer is half a second behind; so a lost disk costs at most 4 s, with 1.5 s for the
 * way to the store.
 */
const PERIOD_MS = 2000
/** While the store cannot be reached. */
const LONGEST_PERIOD_MS = 30_000
/** One fragment at most, in bytes: 20 s of 1.5 Mbit/s, after the store was away. */
const MOST_AT_ONCE = 4 * 1024 * 1024

export interface GrowingFileOptions {
  store: Pick<ObjectStore, 'put'>
  clock: Clock
  log: Logger
  /** Absolute path. It may not be there yet. */
  path: string
  /** Path below the recordings folder. */
  file: string
}

/**
 * Sends what a recording appends to its file, every two seconds, as objects that are named by their offset. Joined in
 * the order of their names they are the file as it grew, which can be repaired like one that was cut off.
 */
export class GrowingFile {
  readonly #options: GrowingFileOptions
  #timer: Timer | null = null
  #sending: Promise<void> = Promise.resolve()
  #offset = 0
  #failures = 0
  #isStopped = false

  constructor(options: GrowingFileOptions) {
    this.#options = options
    this.#plan(PERIOD_MS)
  }

  /** Sends no more. Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#sending
  }

  #plan(delayMs: number): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.after(delayMs, () => {
      this.#sending = this.#sendNew().then((hasFailed) => {
        this.#failures = hasFailed ? this.#failures + 1 : 0
        this.#plan(Math.min(LONGEST_PERIOD_MS, PERIOD_MS * 2 ** Math.min(this.#failures, 10)))
      })
    })
  }

  async #sendNew(): Promise<boolean> {
    const { path, file, log } = this.#options
    let handle: FileHandle | undefined
    try {
      handle = await open(path, 'r')
      const { size } = await handle.stat()
      while (this.#offset < size && !this.#isStopped) {
        const part = Buffer.allocUnsafe(Math.min(MOST_AT_ONCE, size - this.#offset))
        const { bytesRead } = await handle.read(part, 0, part.length, this.#offset)
        if (bytesRead === 0) break
        const content = part.subarray(0, bytesRead)
        await this.#options.store.put(fragmentKey(file, this.#offset), content, 'video/mp4')
        this.#offset += bytesRead
      }
      if (this.#failures > 0) log.info({ file }, 'a running recording is being stored again')
      return false
    } catch (error) {
      if (this.#failures === 0) {
        log.warn({ problem: storeProblem(error), file }, 'a running recording is not stored for now')
      }
      return true
    } finally {
      await handle?.close()
    }
  }
}
