import { isIPv6 } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { hostAddresses } from '../ice/agent/host-addresses.ts'
import type { RtcSettings } from '../rtc-settings.ts'
import { MediaSocket, type OnStun } from './media-socket.ts'

/** A machine may have hundreds of addresses, of bridges and containers. Those beyond share the socket of all. */
const MOST_OF_ONE_ADDRESS = 16

/**
 * The sockets of one family at one port. One takes what comes to any address. Where the machine has several, each has another
 * one besides: an answer has to leave from the address that was asked, and the system would choose one by its routes.
 */
export class FamilySockets {
  readonly #rtc: RtcSettings
  readonly #ofAll: MediaSocket
  readonly #onStun: OnStun
  /** An address stays with the socket that it was offered with first: connections may use it. */
  readonly #byAddress = new Map<string, MediaSocket>()
  readonly #ofOneAddress: MediaSocket[] = []

  private constructor(rtc: RtcSettings, ofAll: MediaSocket, onStun: OnStun) {
    this.#rtc = rtc
    this.#ofAll = ofAll
    this.#onStun = onStun
  }

  /** @returns the families in which a port is to be bound */
  static familiesOf({ bindAddress }: RtcSettings): readonly (4 | 6)[] {
    if (!bindAddress) return [4, 6]
    return isIPv6(bindAddress) ? [6] : [4]
  }

  /** @returns why the port is not to be had, where it is not */
  static open(
    rtc: RtcSettings,
    family: 4 | 6,
    port: number,
    onStun: OnStun,
  ): FamilySockets | 'taken' | 'no such family' {
    const ofAll = MediaSocket.open(family, port, rtc.bindAddress, onStun)
    return typeof ofAll === 'string' ? ofAll : new FamilySockets(rtc, ofAll, onStun)
  }

  /**
   * Looks which addresses the machine has now.
   * @returns the sockets at which it can be reached, the best first
   */
  reachable(interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces()): MediaSocket[] {
    const { bindAddress } = this.#rtc
    const addresses = hostAddresses(this.#ofAll.family, this.#rtc, interfaces)
    const own = hostAddresses(this.#ofAll.family, { bindAddress }, interfaces)
    for (const address of addresses) {
      if (this.#byAddress.has(address)) continue
      const isOneOfSeveral = own.length > 1 && own.includes(address)
      this.#byAddress.set(address, (isOneOfSeveral && this.#openFor(address)) || this.#ofAll)
    }
    this.#ofAll.addresses = addresses.filter((address) => this.#byAddress.get(address) === this.#ofAll)
    return [...new Set(addresses.map((address) => this.#byAddress.get(address)!))]
  }

  #openFor(address: string): MediaSocket | null {
    if (this.#ofOneAddress.length >= MOST_OF_ONE_ADDRESS) return null
    const { family, port } = this.#ofAll
    const socket = MediaSocket.open(family, port, address, this.#onStun, this.#ofAll)
    if (typeof socket === 'string') return null
    socket.addresses = [address]
    this.#ofOneAddress.push(socket)
    return socket
  }

  /** Idempotent. */
  close(): void {
    this.#ofAll.close()
    for (const socket of this.#ofOneAddress) socket.close()
  }
}
