import type { IncomingMessage } from 'node:http'

/** How long a server may send nothing while it is waited for, in milliseconds. */
const SILENCE_TIMEOUT_MS = 10_000

/** Reads the body of an HTTP answer piece by piece. What is not read waits at the server. */
export class BodyReader {
  readonly #body: IncomingMessage
  #ended = false
  #error: Error | null = null
  #wake: () => void = () => {}

  constructor(body: IncomingMessage) {
    this.#body = body
    body.on('readable', () => this.#wake())
    body.on('end', () => {
      this.#ended = true
      this.#wake()
    })
    body.on('error', (error) => this.#fail(error))
    body.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  /** @returns between 1 and `size` bytes, or null at the end. @throws Error when the rest does not come */
  async read(size: number): Promise<Buffer | null> {
    const silence = setTimeout(
      () => this.#fail(new Error('the server sends nothing any more')),
      SILENCE_TIMEOUT_MS,
    )
    try {
      for (;;) {
        const data = this.#take(size)
        if (data) return data
        if (this.#ended) return null
        if (this.#error) throw this.#error
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      clearTimeout(silence)
    }
  }

  /** Idempotent. A read that waits fails. */
  close(): void {
    this.#fail(new Error('closed'))
    this.#body.destroy()
  }

  #take(size: number): Buffer | null {
    const waiting = this.#body.readableLength
    if (waiting > 0) return this.#body.read(Math.min(size, waiting)) as Buffer | null
    // Nothing is here: this makes the stream read on, or notice its end.
    return this.#body.read() as Buffer | null
  }

  #fail(error: Error): void {
    if (!this.#ended) this.#error ??= error
    this.#wake()
  }
}
