import type { Duplex } from 'node:stream'
import { MessageReader } from './message-reader.ts'

/** Messages over any stream of bytes that goes both ways. A fault of the other side ends it, and nothing else. */
export class MessageStream {
  /** `body` is lent for the call. Throws a RangeError where it cannot be understood: the stream is closed then. */
  onMessage: (type: number, body: Buffer) => void = () => {}
  /** Called once, also after {@link close}. */
  onClosed: () => void = () => {}
  readonly #stream: Duplex
  readonly #reader: MessageReader

  /** @param mostBytes of a body */
  constructor(stream: Duplex, mostBytes: number) {
    this.#stream = stream
    this.#reader = new MessageReader(mostBytes)
    stream.on('data', (bytes: Buffer) => this.#read(bytes))
    stream.on('error', () => stream.destroy())
    stream.on('end', () => stream.destroy())
    stream.on('close', () => this.onClosed())
  }

  /** A longer body than this is not accepted. */
  set mostBytes(bytes: number) {
    this.#reader.mostBytes = bytes
  }

  /** Bytes that the system has not taken yet. */
  get unsentBytes(): number {
    return this.#stream.writableLength
  }

  /** @param message must not be changed afterwards */
  send(message: Buffer): void {
    if (!this.#stream.destroyed) this.#stream.write(message)
  }

  /** At once. Idempotent. */
  close(): void {
    this.#stream.destroy()
  }

  #read(bytes: Buffer): void {
    try {
      this.#reader.push(bytes, (type, body) => {
        this.onMessage(type, body)
        return !this.#stream.destroyed
      })
    } catch (error) {
      this.#stream.destroy()
      // The bytes are of somebody else. All other faults are ours.
      if (!(error instanceof RangeError)) throw error
    }
  }
}
