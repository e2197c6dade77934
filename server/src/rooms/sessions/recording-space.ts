import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { type DiskSpace, diskSpace, tryWriting } from '../../storage/disk-space.ts'
import { SessionRefusal } from './refusal.ts'

/** How often the disk is looked at while something is recorded: a dozen of recordings write some MB in that time. */
const LOOK_MS = 1000

export interface RecordingSpaceOptions {
  /** Where recordings lie. */
  folder: string
  /** With less free no recording is started; with half of it those that run are finished. */
  minFreeBytes: number
  clock: Clock
  log: Logger
  /** Whether anything is being recorded. */
  isRecording: () => boolean
  /** Finishes all that is being recorded. */
  finishAll: () => void
  measure?: (folder: string) => Promise<DiskSpace>
  tryOut?: typeof tryWriting
}

/** Keeps recordings from filling the disk, which would cut them off and stop the database. */
export class RecordingSpace {
  readonly #options: RecordingSpaceOptions
  #timer: Timer | null = null

  constructor(options: RecordingSpaceOptions) {
    this.#options = options
  }

  /** @throws SessionRefusal `no_space` when there is too little for another recording, or the disk takes no files */
  async check(): Promise<void> {
    const { folder, log, tryOut = tryWriting } = this.#options
    if ((await tryOut(folder)) === 'unwritable') {
      log.error({ folder }, 'recording refused: the folder takes no files')
      throw new SessionRefusal(
        'no_space',
        'The disk of the server takes no files, so nothing can be recorded. Its operator has to see to it.',
      )
    }
    const freeBytes = await this.#freeBytes()
    if (freeBytes >= this.#options.minFreeBytes) return
    this.#options.log.error({ freeBytes }, 'recording refused: the disk is nearly full')
    throw new SessionRefusal(
      'no_space',
      'The disk of the server is nearly full, so nothing can be recorded. Its operator has to make room.',
    )
  }

  /** Looks at the disk from now on, until nothing is recorded any more. */
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
    // Stopped meanwhile.
    if (this.#timer === null) return
    this.#timer = null
    if (!isRecording()) return
    if (freeBytes < minFreeBytes / 2) {
      log.error({ freeBytes }, 'recordings finished: the disk is nearly full')
      finishAll()
    }
    this.watch()
  }

  /** A folder that cannot be asked says so itself when it is written to. */
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
