import type { ReceivedVideoFrame } from '../media-types.ts'
import type { LipSync } from './lip-sync.ts'

/** Says when the pictures of cameras are to be shown, so that they go with their sound. */
export class CameraTiming {
  readonly #lipSync: LipSync | null
  readonly #leadMs: number

  /** @param lipSync the same object as the room's audio mixer has; null to show pictures as soon as they are decoded */
  constructor(lipSync: LipSync | null, fps: number) {
    this.#lipSync = lipSync
    // On average a picture waits half a tick.
    this.#leadMs = 500 / fps
  }

  /** A frame came that will be decoded. @returns when its picture is to be shown */
  showAtMs(memberId: string, frame: ReceivedVideoFrame): number {
    const { arrivedAtMs, capturedAtMs } = frame
    if (!this.#lipSync) return arrivedAtMs
    if (capturedAtMs !== null) this.#lipSync.pictureReady(memberId, capturedAtMs, arrivedAtMs + this.#leadMs)
    return this.#lipSync.showAtMs(memberId, frame, this.#leadMs)
  }

  /** The camera is off or gone. */
  end(memberId: string): void {
    this.#lipSync?.endOfPictures(memberId)
  }

  removeMember(memberId: string): void {
    this.#lipSync?.removeMember(memberId)
  }
}
