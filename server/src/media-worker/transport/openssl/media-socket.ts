import type { LocalSocket } from '../ice/agent/ice-types.ts'
import type { TransportAddress } from '../ice/agent/transport-address.ts'
import { isStun } from '../ice/stun.ts'
import { Destination } from './destination.ts'
import { Memory } from './memory.ts'
import { readSource, SocketAddress, type SourceKey, sourceKey } from './udp/socket-address.ts'
import { type OnDatagram, UdpSocket } from './udp/udp-socket.ts'

const LONGEST_STUN_BYTES = 1500

/** Takes datagrams that are no STUN. They lie in the memory during the call, and may come from anybody. */
export interface DatagramReceiver {
  onDatagram(memory: Memory, at: number, length: number): void
}

/** Takes a STUN message, which may come from anybody and is not kept. */
export type OnStun = (datagram: Buffer, socket: MediaSocket, from: TransportAddress) => void

/** One UDP socket of a worker, of one address or of all. It tells by the source of a datagram which connection it is for. */
export class MediaSocket implements LocalSocket {
  readonly family: 4 | 6
  readonly port: number
  readonly #udp: UdpSocket
  readonly #onStun: OnStun
  readonly #receivers = new Map<SourceKey, DatagramReceiver>()
  readonly #scratch = new Memory(LONGEST_STUN_BYTES)
  /** At which of the machine's addresses the other side is to reach this socket. */
  addresses: readonly string[] = []

  private constructor(udp: UdpSocket, onStun: OnStun) {
    this.family = udp.family
    this.port = udp.port
    this.#udp = udp
    this.#onStun = onStun
  }

  /**
   * @param address all of the family where undefined
   * @param beside see {@link UdpSocket.open}
   * @returns why the port is not to be had, where it is not
   */
  static open(
    family: 4 | 6,
    port: number,
    address: string | undefined,
    onStun: OnStun,
    beside: MediaSocket | null = null,
  ): MediaSocket | 'taken' | 'no such family' {
    const onDatagram: OnDatagram = (memory, at, length, sources, sourceAt) =>
      socket.#onDatagram(memory, at, length, sources, sourceAt)
    const udp = UdpSocket.open(family, port, address, onDatagram, beside === null ? null : beside.#udp)
    if (typeof udp === 'string') return udp
    const socket = new MediaSocket(udp, onStun)
    return socket
  }

  /** What comes from this address is for this receiver from now on. */
  addReceiver({ address, port }: TransportAddress, receiver: DatagramReceiver): void {
    this.#receivers.set(new SocketAddress(address, port).key, receiver)
  }

  /** Undoes {@link addReceiver}, unless another receiver has the address. */
  removeReceiver({ address, port }: TransportAddress, receiver: DatagramReceiver): void {
    const { key } = new SocketAddress(address, port)
    if (this.#receivers.get(key) === receiver) this.#receivers.delete(key)
  }

  destination(remote: TransportAddress): Destination {
    return new Destination(this.#udp, remote)
  }

  /** Sends a STUN message, which is copied. It may get lost. */
  sendStun(datagram: Buffer, remote: TransportAddress): void {
    if (datagram.length > LONGEST_STUN_BYTES) return
    datagram.copy(this.#scratch.bytes)
    this.destination(remote).send(this.#scratch, 0, datagram.length, 0)
  }

  #onDatagram(memory: Memory, at: number, length: number, sources: Memory, sourceAt: number): void {
    // STUN begins with 0 to 3 (RFC 7983).
    if (memory.bytes[at]! > 3) {
      this.#receivers.get(sourceKey(sources.bytes, sourceAt))?.onDatagram(memory, at, length)
      return
    }
    const datagram = memory.bytes.subarray(at, at + length)
    const from = isStun(datagram) ? readSource(sources.bytes, sourceAt) : null
    if (from) this.#onStun(datagram, this, from)
  }

  /** Idempotent. */
  close(): void {
    this.#udp.close()
    this.#receivers.clear()
  }
}
