import { Memory } from '../memory.ts'
import type { SocketAddress } from './socket-address.ts'
import { CMSG, IOVEC, libc, MSG_DONTWAIT, MSGHDR, SOL_UDP, UDP_SEGMENT } from './socket-calls.ts'

const VECTOR_AT = MSGHDR.bytes
const CONTROL_AT = VECTOR_AT + IOVEC.bytes

/** The arguments of sendmsg(2), which are used again for every call. */
export class OutgoingMessage {
  readonly #memory = new Memory(CONTROL_AT + CMSG.bytes)
  readonly #address = this.#memory.at(0, this.#memory.length)
  /** The memory as words, which are faster to write than through a Buffer. */
  readonly #words: Uint32Array
  readonly #halfWords: Uint16Array

  constructor() {
    const { bytes } = this.#memory
    this.#words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
    this.#halfWords = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
    this.#memory.writePointer(MSGHDR.vector, this.#memory.at(VECTOR_AT, IOVEC.bytes))
    bytes.writeUInt32LE(1, MSGHDR.vectorLength)
    this.#memory.writePointer(MSGHDR.control, this.#memory.at(CONTROL_AT, CMSG.bytes))
    bytes.writeUInt32LE(CMSG.usedBytes, CONTROL_AT + CMSG.length)
    bytes.writeInt32LE(SOL_UDP, CONTROL_AT + CMSG.level)
    bytes.writeInt32LE(UDP_SEGMENT, CONTROL_AT + CMSG.type)
  }

  /**
   * Sends bytes, as one datagram or cut into datagrams by the system.
   * @param segmentBytes size of each datagram but the last, or 0 for a single one
   * @returns whether they were taken; `lastError()` says why not
   */
  send(
    socket: number,
    memory: Memory,
    at: number,
    length: number,
    segmentBytes: number,
    to: SocketAddress,
  ): boolean {
    const words = this.#words
    const from = memory.at(at, length)
    const name = to.pointer
    words[MSGHDR.name >> 2] = name
    words[(MSGHDR.name >> 2) + 1] = name / 2 ** 32
    words[MSGHDR.nameLength >> 2] = to.length
    words[(VECTOR_AT + IOVEC.base) >> 2] = from
    words[((VECTOR_AT + IOVEC.base) >> 2) + 1] = from / 2 ** 32
    words[(VECTOR_AT + IOVEC.length) >> 2] = length
    words[MSGHDR.controlLength >> 2] = segmentBytes > 0 ? CMSG.bytes : 0
    this.#halfWords[(CONTROL_AT + CMSG.data) >> 1] = segmentBytes
    return libc.sendmsg(socket, this.#address, MSG_DONTWAIT) === length
  }
}
