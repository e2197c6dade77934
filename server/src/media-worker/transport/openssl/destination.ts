import type { TransportAddress } from '../ice/agent/transport-address.ts'
import type { Memory } from './memory.ts'
import { SocketAddress } from './udp/socket-address.ts'
import type { UdpSocket } from './udp/udp-socket.ts'

/** Where the packets of a connection go: from a socket of ours to an address of the browser. */
export class Destination {
  readonly #socket: UdpSocket
  readonly #address: SocketAddress

  constructor(socket: UdpSocket, { address, port }: TransportAddress) {
    this.#socket = socket
    this.#address = new SocketAddress(address, port)
  }

  /** @param segmentBytes size of each datagram but the last, or 0 for a single one @returns whether it goes out */
  send(memory: Memory, at: number, length: number, segmentBytes: number): boolean {
    return this.#socket.send(memory, at, length, segmentBytes, this.#address)
  }
}
