import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { type DiskSpace, diskSpace, tryWriting } from '../../storage/disk-space.ts'

/** Interval between checks of the disk while anything is recorded. A dozen recordings write some MB in that time. */
const LOOK_MS = 1000

export interface RecordingSpaceOptions {
  /** Path of the recordings folder. */
  folder: string
  /** With less free space, no recording is started. With less than half of it, running recordings are finished. */
  minFreeBytes: number
  clock: Clock
  log: Logger
  /** Whether anything is being recorded. */
  isRecording: () => boolean
  /** Finishes all running recordings. */
  finishAll: () => void
  measure?: (folder: string) => Promise<DiskSpace>
  tryOut?: typeof tryWriting
}

/** Prevents recordings from filling the disk. A full disk would cut them off and stop the database. */
export class RecordingSpace {
  readonly #options: RecordingSpaceOptions
  #timer: Timer | null = null

  constructor(options: RecordingSpaceOptions) {
    this.#options = options
  }

  /**
   * @throws Refusal `no_space` if there is too little space for another recording, `disk_unwritable` if the folder
   * takes no files
   */
  async check(): Promise<void> {
    const { folder, log, tryOut = tryWriting } = this.#options
    if ((await tryOut(folder)) === 'unwritable') {
      log.error({ folder }, 'recording refused: the folder takes no files')
      throw new Refusal('disk_unwritable')
    }
    const freeBytes = await this.#freeBytes()
    if (freeBytes >= this.#options.minFreeBytes) return
    this.#options.log.error({ freeBytes }, 'recording refused: the disk is nearly full')
    throw new Refusal('no_space')
  }

  /** Starts to check the disk. Stops when nothing is recorded any more. */
  watch(): void {
    this.#timer ??= this.#options.clock.after(LOOK_MS, () => void this.#look())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  async #look(): Promise<void> {
    const { minFreeBytes, log, isRecording, finishAll } = this.#options
    const freeBytes = isRecording() ? await this.#freeBytes() : 0
    // `stop` was called meanwhile.
    if (this.#timer === null) return
    this.#timer = null
    if (!isRecording()) return
    if (freeBytes < minFreeBytes / 2) {
      log.error({ freeBytes }, 'recordings finished: the disk is nearly full')
      finishAll()
    }
    this.watch()
  }

  /** Returns infinity if the free space cannot be read. A broken folder shows its own error when it is written to. */
  async #freeBytes(): Promise<number> {
    const { measure = diskSpace, folder, log } = this.#options
    try {
      return (await measure(folder)).freeBytes
    } catch (error) {
      log.warn({ err: error }, 'free space of the disk not known')
      return Number.POSITIVE_INFINITY
    }
  }
}
