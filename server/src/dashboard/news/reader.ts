import { Readable } from 'node:stream'

/** Bytes that wait for one reader at most. A dashboard gets a few hundred bytes in a second. */
export const WAITING_MAX_BYTES = 64 * 1024

/** One open dashboard: the body of its answer. A reader that does not keep up is cut off, and comes back by itself. */
export class NewsReader extends Readable {
  readonly seesServer: boolean
  readonly #onGone: () => void
  #isOver = false

  /** @param seesServer whether it may know of the server as a whole @param onGone called once it needs nothing more */
  constructor(seesServer: boolean, onGone: () => void) {
    super({ highWaterMark: WAITING_MAX_BYTES })
    this.seesServer = seesServer
    this.#onGone = onGone
  }

  override _read(): void {}

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onGone()
    callback(error)
  }

  /** Sends a frame. All readers may share its bytes. */
  send(frame: Buffer): void {
    if (this.destroyed || this.#isOver) return
    if (this.readableLength + frame.length > WAITING_MAX_BYTES) this.destroy()
    else this.push(frame)
  }

  /** Ends the answer in order. The client comes back, and says what it has seen. */
  end(): void {
    if (this.destroyed || this.#isOver) return
    this.#isOver = true
    this.push(null)
  }
}
