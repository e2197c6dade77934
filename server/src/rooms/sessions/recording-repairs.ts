import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { RepairedRecording } from '../../media/channel.ts'
import type { MediaPlane } from '../../media/media-plane.ts'

/** A failed repair is tried again after this delay. The delay doubles with each failure. */
const FIRST_REPAIR_DELAY_MS = 500
const LONGEST_REPAIR_DELAY_MS = 10 * 60_000

export interface RecordingRepairsOptions {
  repair: MediaPlane['repairRecording']
  clock: Clock
  log: Logger
}

/**
 * Repairs recordings whose media worker is gone. The worker that does it may die as well, or the disk may be full. A
 * repair is therefore tried again as long as the server runs.
 */
export class RecordingRepairs {
  readonly #options: RecordingRepairsOptions
  readonly #waiting = new Set<() => void>()
  #isGivenUp = false

  constructor(options: RecordingRepairsOptions) {
    this.#options = options
  }

  /** @returns the playable part, null if there is none, `later` if the next start of the server must repair it */
  async untilDone(recordingId: string, file: string): Promise<RepairedRecording | null | 'later'> {
    const { repair, log } = this.#options
    for (let failures = 0; ; failures++) {
      try {
        return await repair(file)
      } catch (error) {
        log.error({ err: error, recordingId, failures }, 'recording could not be repaired yet')
      }
      const delayMs = Math.min(LONGEST_REPAIR_DELAY_MS, FIRST_REPAIR_DELAY_MS * 2 ** failures)
      if (!this.#isGivenUp) await this.#pause(delayMs)
      if (this.#isGivenUp) return 'later'
    }
  }

  /** Called when the server stops. Repairs that fail are left to its next start. */
  giveUp(): void {
    this.#isGivenUp = true
    for (const wake of this.#waiting) wake()
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        timer.cancel()
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = this.#options.clock.after(delayMs, wake)
      this.#waiting.add(wake)
    })
  }
}
