import { Memory } from '../../server/src/media-worker/transport/openssl/memory.ts'
import { IncomingBatch } from '../../server/src/media-worker/transport/openssl/udp/incoming-batch.ts'
import { OutgoingMessage } from '../../server/src/media-worker/transport/openssl/udp/outgoing-message.ts'
import { SocketAddress } from '../../server/src/media-worker/transport/openssl/udp/socket-address.ts'
import {
  AF_INET,
  libc,
  SO_RCVBUF,
  SOCK_DGRAM_NONBLOCK_CLOEXEC,
  SOL_SOCKET,
} from '../../server/src/media-worker/transport/openssl/udp/socket-calls.ts'
import type { OnDatagram } from '../../server/src/media-worker/transport/openssl/udp/udp-socket.ts'

/** Holds a keyframe and the pictures after it, as the buffers of browsers do. */
const RECEIVE_BUFFER_BYTES = 1 << 20
const ADDRESS_BYTES = 16
const PORT_AT = 2

/** All sockets of the process take turns. */
const batch = new IncomingBatch()
const message = new OutgoingMessage()

/**
 * A UDP socket of IPv4 that is asked from time to time for what has come. Where hundreds of sockets get few packets each,
 * waking up for every packet costs several times what the packets themselves do.
 */
export class PolledSocket {
  readonly port: number
  readonly #onDatagram: OnDatagram
  #socket: number

  /** @throws if the system has no free port */
  constructor(onDatagram: OnDatagram) {
    this.#onDatagram = onDatagram
    this.#socket = libc.socket(AF_INET, SOCK_DGRAM_NONBLOCK_CLOEXEC, 0)
    const any = new SocketAddress('0.0.0.0', 0)
    if (this.#socket < 0 || libc.bind(this.#socket, any.pointer, any.length) !== 0)
      throw new Error('the system gives no UDP port')
    const number = new Memory(4)
    number.bytes.writeInt32LE(RECEIVE_BUFFER_BYTES)
    libc.setsockopt(this.#socket, SOL_SOCKET, SO_RCVBUF, number.at(0, 4), 4)
    number.bytes.writeInt32LE(ADDRESS_BYTES)
    const own = new Memory(ADDRESS_BYTES)
    libc.getsockname(this.#socket, own.at(0, ADDRESS_BYTES), number.at(0, 4))
    this.port = own.bytes.readUInt16BE(PORT_AT)
  }

  /** Hands over what has come. */
  poll(): void {
    let count = batch.capacity
    while (count === batch.capacity && this.#socket >= 0) {
      count = batch.receive(this.#socket)
      for (let i = 0; i < count; i++) {
        const length = batch.lengthOf(i)
        if (length > 0)
          this.#onDatagram(batch.datagrams, batch.placeOf(i), length, batch.sources, batch.sourceOf(i))
      }
    }
  }

  /** Sends a datagram. It is lost if the system cannot take it now. */
  send(memory: Memory, at: number, length: number, to: SocketAddress): void {
    if (this.#socket >= 0) message.send(this.#socket, memory, at, length, 0, to)
  }

  /** Idempotent. */
  close(): void {
    if (this.#socket >= 0) libc.close(this.#socket)
    this.#socket = -1
  }
}
