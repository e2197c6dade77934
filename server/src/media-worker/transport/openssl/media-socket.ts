import { hostAddresses } from '../ice/agent/host-addresses.ts'
import type { LocalSocket } from '../ice/agent/ice-types.ts'
import type { TransportAddress } from '../ice/agent/transport-address.ts'
import { isStun } from '../ice/stun.ts'
import type { RtcSettings } from '../rtc-settings.ts'
import { Destination } from './destination.ts'
import { Memory } from './memory.ts'
import { readSource, SocketAddress, type SourceKey, sourceKey } from './udp/socket-address.ts'
import { UdpSocket } from './udp/udp-socket.ts'

const LONGEST_STUN_BYTES = 1500

/** Takes datagrams that are no STUN. They lie in the memory during the call, and may come from anybody. */
export interface DatagramReceiver {
  onDatagram(memory: Memory, at: number, length: number): void
}

/** Takes a STUN message, which may come from anybody and is not kept. */
export type OnStun = (datagram: Buffer, socket: MediaSocket, from: TransportAddress) => void

/** One UDP socket of a worker, which tells by the source of a datagram which connection it is for. */
export class MediaSocket implements LocalSocket {
  readonly family: 4 | 6
  readonly port: number
  readonly #rtc: RtcSettings
  readonly #udp: UdpSocket
  readonly #onStun: OnStun
  readonly #receivers = new Map<SourceKey, DatagramReceiver>()
  readonly #scratch = new Memory(LONGEST_STUN_BYTES)
  #addresses: readonly string[]

  private constructor(udp: UdpSocket, rtc: RtcSettings, onStun: OnStun) {
    this.family = udp.family
    this.port = udp.port
    this.#rtc = rtc
    this.#udp = udp
    this.#onStun = onStun
    this.#addresses = hostAddresses(this.family, rtc)
  }

  /** @returns why the port is not to be had, where it is not */
  static open(
    rtc: RtcSettings,
    family: 4 | 6,
    port: number,
    onStun: OnStun,
  ): MediaSocket | 'taken' | 'no such family' {
    const udp = UdpSocket.open(family, port, rtc.bindAddress, (memory, at, length, sources, sourceAt) =>
      socket.#onDatagram(memory, at, length, sources, sourceAt),
    )
    if (typeof udp === 'string') return udp
    const socket = new MediaSocket(udp, rtc, onStun)
    return socket
  }

  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Looks again which addresses the machine has. @returns whether this socket can be reached at any */
  refresh(): boolean {
    this.#addresses = hostAddresses(this.family, this.#rtc)
    return this.#addresses.length > 0
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
