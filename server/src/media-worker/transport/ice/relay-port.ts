import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { RtcSettings } from '../rtc-settings.ts'
import { sharedPort } from '../shared-port.ts'
import { isStun, readStun, type StunMessage } from './stun.ts'

/** Source or destination of a datagram. */
export type Address = Pick<RemoteInfo, 'address' | 'port' | 'family'>

/** A relay, as the port that it shares with others knows it. */
export interface RelayEnd {
  /**
   * A STUN message that names a username fragment of this relay, or one without a username from an address that
   * {@link RelayPort.accept} was called with. It may come from anybody.
   */
  onStun(datagram: Buffer, message: StunMessage, from: Address): void
  /** Anything else that comes from an address that {@link RelayPort.accept} was called with. */
  onDatagram(datagram: Buffer): void
  /** Whether the relay lately had something from this address, which then stays its own. */
  isInUse(address: Address): boolean
  /** Fingerprint of the certificate of the browser behind the relay. */
  readonly fingerprint: string
}

/** A check of ICE has some 100 bytes. Longer datagrams are no STUN that a browser sends. */
const MOST_STUN_BYTES = 1500

const ports = new Map<string, Promise<RelayPort>>()
const bound: RelayPort[] = []

/** The one UDP port of this process at which browsers reach its relays, for IPv4 and, where the machine has it, IPv6. */
export class RelayPort {
  readonly port: number
  readonly #sockets: Map<string, Socket>
  readonly #byFragment = new Map<string, RelayEnd>()
  readonly #byAddress = new Map<string, RelayEnd>()

  private constructor(port: number, sockets: Map<string, Socket>) {
    this.port = port
    this.#sockets = sockets
    bound.push(this)
    for (const socket of sockets.values()) {
      socket.on('message', (datagram, from) => this.onDatagram(datagram, from))
      // Send errors are ignored: an unreachable browser is noticed by its silence.
      socket.on('error', () => {})
    }
  }

  /**
   * Takes the first free port of the worker's range that is not the {@link sharedPort} itself.
   * @returns null where the range has no second port that is free
   */
  static async of(rtc: RtcSettings): Promise<RelayPort | null> {
    const native = await sharedPort(rtc)
    const key = `${rtc.bindAddress ?? '*'} ${native}`
    let port = ports.get(key)
    if (!port) {
      port = RelayPort.#bind(rtc, native)
      ports.set(key, port)
      port.catch(() => ports.delete(key))
    }
    return port.catch(() => null)
  }

  static async #bind({ portRange, bindAddress }: RtcSettings, native: number): Promise<RelayPort> {
    const families = bindAddress ? [`IPv${isIP(bindAddress)}`] : ['IPv4', 'IPv6']
    for (let port = portRange.begin; port <= portRange.end; port++) {
      if (port === native) continue
      const sockets = await bindAll(families, port, bindAddress)
      if (sockets) return new RelayPort(port, sockets)
    }
    throw new Error(`no second UDP port from ${portRange.begin} to ${portRange.end} is free`)
  }

  /** Gives all ports back. */
  static release(): void {
    ports.clear()
    for (const port of bound.splice(0)) port.#close()
  }

  /** Whether this port can be reached at addresses of this family: 4 or 6. */
  has(family: number): boolean {
    return this.#sockets.has(`IPv${family}`)
  }

  /** Sends later checks for this username fragment to this relay. */
  register(fragment: string, relay: RelayEnd): void {
    this.#byFragment.set(fragment, relay)
  }

  unregister(fragment: string): void {
    this.#byFragment.delete(fragment)
  }

  /**
   * Sends later datagrams from this address to this relay. The address has been proved to be the browser's own.
   * @returns false where the address is in use by another browser: the sender may have forged it
   */
  accept(address: Address, relay: RelayEnd): boolean {
    const key = keyOf(address)
    const holder = this.#byAddress.get(key)
    const isTaken = holder && holder !== relay && holder.fingerprint !== relay.fingerprint
    if (isTaken && holder.isInUse(address)) return false
    this.#byAddress.set(key, relay)
    return true
  }

  /** Forgets an address, unless another relay has taken it over. */
  forget(address: Address, relay: RelayEnd): void {
    const key = keyOf(address)
    if (this.#byAddress.get(key) === relay) this.#byAddress.delete(key)
  }

  /** Sends where that is possible; a datagram may get lost anyway. Never throws. */
  send(datagram: Buffer, to: Address): void {
    try {
      this.#sockets.get(to.family)?.send(datagram, to.port, to.address)
    } catch {
      // Node refuses some addresses before it asks the system.
    }
  }

  /** Takes what a socket has received. Never throws: the bytes and the address come from strangers. */
  onDatagram(datagram: Buffer, from: RemoteInfo): void {
    // Port 0 can be forged, but nothing can be sent there.
    if (from.port === 0) return
    if (!isStun(datagram)) {
      this.#byAddress.get(keyOf(from))?.onDatagram(datagram)
      return
    }
    if (datagram.length > MOST_STUN_BYTES) return
    const message = readStun(datagram)
    if (!message) return
    const { username } = message
    const relay =
      username === ''
        ? this.#byAddress.get(keyOf(from))
        : this.#byFragment.get(username.slice(0, username.indexOf(':')))
    relay?.onStun(datagram, message, from)
  }

  #close(): void {
    for (const socket of this.#sockets.values()) socket.close()
    this.#sockets.clear()
  }
}

function keyOf({ address, port }: Address): string {
  return `${address} ${port}`
}

/** Sends at once: Node asks its resolver for numeric addresses too, which costs a turn of the event loop. */
export function numericOnly(
  address: string,
  _options: unknown,
  callback: (error: null, address: string, family: number) => void,
): void {
  callback(null, address, isIP(address))
}

/** @returns a socket for each family that the machine has, or null where the port is taken in one of them */
async function bindAll(
  families: string[],
  port: number,
  address?: string,
): Promise<Map<string, Socket> | null> {
  const sockets = new Map<string, Socket>()
  for (const family of families) {
    const socket = await bindOne(family, port, address)
    if (socket === 'taken') {
      for (const each of sockets.values()) each.close()
      return null
    }
    if (socket !== 'no such family') sockets.set(family, socket)
  }
  return sockets.size > 0 ? sockets : null
}

function bindOne(
  family: string,
  port: number,
  address?: string,
): Promise<Socket | 'taken' | 'no such family'> {
  const type = family === 'IPv6' ? 'udp6' : 'udp4'
  const socket = createSocket({ type, ipv6Only: type === 'udp6', lookup: numericOnly })
  return new Promise((resolve) => {
    const onError = ({ code }: NodeJS.ErrnoException) => {
      socket.close()
      resolve(code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' ? 'no such family' : 'taken')
    }
    socket.once('error', onError)
    socket.bind({ port, exclusive: true, ...(address ? { address } : {}) }, () => {
      socket.off('error', onError)
      resolve(socket)
    })
  })
}
