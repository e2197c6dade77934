/** Length of what follows, and the type of the message. */
const HEADER_BYTES = 5

/**
 * A message before its body is written.
 * @param type 0 to 255
 * @returns the whole message, and where its body begins
 */
export function newMessage(type: number, bodyBytes: number): { message: Buffer; at: number } {
  const message = Buffer.allocUnsafe(HEADER_BYTES + bodyBytes)
  message.writeUInt32BE(bodyBytes + 1, 0)
  message[4] = type
  return { message, at: HEADER_BYTES }
}

/** Cuts a stream of bytes into messages: their length in 4 bytes, their type in one, their body. */
export class MessageReader {
  /** A longer body is refused. May be changed between two messages. */
  mostBytes: number
  /** The beginning of a message of which the rest has not come yet. */
  #begun: Buffer[] = []
  #begunBytes = 0
  /** Bytes that must be here before there is anything to do. */
  #wanted = HEADER_BYTES

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes
  }

  /**
   * Takes the next bytes.
   * @param onMessage `body` is lent for the call. Returns false where nothing more is to be read
   * @throws RangeError for a message that is too long. Nothing can be read after it
   */
  push(bytes: Buffer, onMessage: (type: number, body: Buffer) => boolean): void {
    this.#begun.push(bytes)
    this.#begunBytes += bytes.length
    if (this.#begunBytes < this.#wanted) return
    let rest = this.#begun.length === 1 ? bytes : Buffer.concat(this.#begun, this.#begunBytes)
    this.#begun = []
    for (;;) {
      this.#wanted = rest.length < HEADER_BYTES ? HEADER_BYTES : this.#lengthOf(rest)
      if (rest.length < this.#wanted) break
      const body = rest.subarray(HEADER_BYTES, this.#wanted)
      const type = rest[4]!
      rest = rest.subarray(this.#wanted)
      if (!onMessage(type, body)) return
    }
    this.#begunBytes = rest.length
    if (rest.length > 0) this.#begun.push(rest)
  }

  /** Of the message at the beginning, with its header. */
  #lengthOf(bytes: Buffer): number {
    const bodyBytes = bytes.readUInt32BE(0) - 1
    if (bodyBytes < 0 || bodyBytes > this.mostBytes) throw new RangeError(`a message of ${bodyBytes} bytes`)
    return HEADER_BYTES + bodyBytes
  }
}
