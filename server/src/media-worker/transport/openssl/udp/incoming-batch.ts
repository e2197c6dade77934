import { Memory } from '../memory.ts'
import { SOCKET_ADDRESS_BYTES, writeSource } from './socket-address.ts'
import { IOVEC, libc, MMSGHDR, MSG_DONTWAIT, MSG_TRUNC, MSGHDR } from './socket-calls.ts'

const DATAGRAMS = 32
/** Longer datagrams are of no use: they are no media, and DTLS is told to send shorter ones. */
const LONGEST_DATAGRAM = 2048
/** A multiple of 8, so that the structures are aligned. */
const NAME_BYTES = (SOCKET_ADDRESS_BYTES + 7) & ~7

/** A place for the datagrams that one call of recvmmsg(2) takes from a socket. */
export class IncomingBatch {
  /** Datagrams lie here until the next call. */
  readonly datagrams = new Memory(DATAGRAMS * LONGEST_DATAGRAM)
  /** Their sources, as sockets write them. */
  readonly sources = new Memory(DATAGRAMS * NAME_BYTES)
  readonly #headers = new Memory(DATAGRAMS * (MMSGHDR.bytes + IOVEC.bytes))
  readonly #headersAddress = this.#headers.at(0, DATAGRAMS * MMSGHDR.bytes)

  constructor() {
    for (let i = 0; i < DATAGRAMS; i++) {
      const header = i * MMSGHDR.bytes
      const vector = DATAGRAMS * MMSGHDR.bytes + i * IOVEC.bytes
      const place = this.datagrams.at(this.placeOf(i), LONGEST_DATAGRAM)
      this.#headers.writePointer(vector + IOVEC.base, place)
      this.#headers.bytes.writeUInt32LE(LONGEST_DATAGRAM, vector + IOVEC.length)
      this.#headers.writePointer(header + MSGHDR.vector, this.#headers.at(vector, IOVEC.bytes))
      this.#headers.bytes.writeUInt32LE(1, header + MSGHDR.vectorLength)
      this.#headers.writePointer(header + MSGHDR.name, this.sources.at(this.sourceOf(i), NAME_BYTES))
    }
  }

  /** Takes what has arrived, up to {@link capacity}. @returns how many datagrams */
  receive(socket: number): number {
    // The call before has overwritten it with what it needed.
    for (let i = 0; i < DATAGRAMS; i++)
      this.#headers.bytes.writeUInt32LE(NAME_BYTES, i * MMSGHDR.bytes + MSGHDR.nameLength)
    return Math.max(libc.recvmmsg(socket, this.#headersAddress, DATAGRAMS, MSG_DONTWAIT, 0), 0)
  }

  get capacity(): number {
    return DATAGRAMS
  }

  /**
   * Puts a datagram that was received otherwise into the first place.
   * @returns false where it is too long
   */
  take(datagram: Buffer, address: string, port: number): boolean {
    if (datagram.length > LONGEST_DATAGRAM) return false
    datagram.copy(this.datagrams.bytes)
    writeSource(this.sources.bytes, 0, address, port)
    return true
  }

  /** Length of a received datagram, or 0 for one that was too long. */
  lengthOf(index: number): number {
    const { bytes } = this.#headers
    const header = index * MMSGHDR.bytes
    if (bytes.readUInt32LE(header + MSGHDR.flags) & MSG_TRUNC) return 0
    return bytes.readUInt32LE(header + MMSGHDR.length)
  }

  /** Where a datagram lies in {@link datagrams}. */
  placeOf(index: number): number {
    return index * LONGEST_DATAGRAM
  }

  /** Where its source lies in {@link sources}. */
  sourceOf(index: number): number {
    return index * NAME_BYTES
  }
}
