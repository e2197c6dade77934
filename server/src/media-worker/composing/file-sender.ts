import { copyFrame, type FrameCopy } from '../codecs/frame-copy.ts'
import { TickClock } from '../mixer/tick-clock.ts'
import type { FilePicture } from '../mixer/video-mixer.ts'

/** Copies on their way. A thread that has taken none of them is too far behind for a further one. */
const MOST_COPIES = 2

export interface FileSenderOptions {
  /** Pictures a second of the room. */
  fps: number
  /** Its memory comes back by {@link FileSender.giveBack}. */
  send: (picture: FrameCopy) => void
}

/**
 * Hands the pictures of a played file to the thread that composes. The file is decoded beside its sound, on threads of the
 * pool. A picture goes over as a copy, in memory that is used again and again.
 */
export class FileSender {
  readonly #file: FilePicture
  readonly #options: FileSenderOptions
  readonly #clock: TickClock
  /** Memory that has come back. */
  readonly #spare: ArrayBuffer[] = []
  #onTheirWay = 0
  #sentVersion: number | null = null

  constructor(file: FilePicture, options: FileSenderOptions) {
    this.#file = file
    this.#options = options
    this.#clock = new TickClock({
      periodMs: 1000 / options.fps,
      catchUp: 1,
      onTick: () => this.#send(performance.now()),
    })
    this.#clock.start()
  }

  /** The thread has taken a picture. */
  giveBack(memory: ArrayBuffer): void {
    this.#onTheirWay = Math.max(0, this.#onTheirWay - 1)
    if (this.#spare.length < MOST_COPIES) this.#spare.push(memory)
  }

  /** Another thread composes now: nothing will come back from the one before. */
  sendAgain(): void {
    this.#onTheirWay = 0
    this.#sentVersion = null
  }

  /** To be called before the file is closed. */
  close(): void {
    this.#clock.stop()
  }

  #send(nowMs: number): void {
    this.#file.advance(nowMs)
    const { picture, version } = this.#file
    if (!picture || version === this.#sentVersion || this.#onTheirWay >= MOST_COPIES) return
    const copy = copyFrame(picture, this.#spare.pop() ?? null)
    this.#sentVersion = version
    if (!copy) return
    this.#onTheirWay++
    this.#options.send(copy)
  }
}
