import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { isIP } from 'node:net'
import type { RtcSettings } from '../rtc-settings.ts'
import type { IceDescription } from '../sdp/offer.ts'
import { sharedPort } from '../shared-port.ts'
import { type Address, numericOnly, type RelayEnd, RelayPort } from './relay-port.ts'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  isAuthentic,
  isStun,
  readStun,
  type StunMessage,
  writeBindingRequest,
  writeBindingSuccess,
} from './stun.ts'

/** Higher than any candidate of a browser, so that the native side prefers the way through the relay. */
const PRIORITY = 0x7fffffff
const CHECK_INTERVAL_MS = 50
/** After this long a restart has failed. Media stays on the old path, if that still works. */
const MOST_CHECKS = 100
/** Addresses that a browser has shown to be its own. */
const MOST_ADDRESSES = 64
/** Browsers check every few seconds that we are still there (RFC 7675); one that has not for this long is gone. */
const SILENCE_MS = 15_000

interface Credentials {
  usernameFragment: string
  password: string
}

/** An address that the browser has sent an authentic check from. */
interface BrowserAddress extends Address {
  heardAtMs: number
  /** Transaction of our own check of this address. */
  checkId: Buffer
  /**
   * Whether the browser has answered our check, which proves that it receives at this address. The source of a check can be
   * forged: without this proof, a member could have media sent to a third party.
   */
  answered: boolean
}

/** What is agreed from one restart to the next. */
interface Generation {
  /** Ours, towards the browser. */
  ours: Credentials
  browser: Credentials
  /** What its checks are to name: ours, and the browser's. */
  username: string
}

/**
 * Stands between a browser and the native side where the two would not get along directly. To the browser it is the
 * answering side, in the manner of an ICE lite agent (RFC 8445, section 2.5): it answers checks, and makes some only to see
 * that the browser is where it says. To the native side it is the browser. It is there
 * - for browsers that hide their addresses, from the beginning: Chromium then often signs its answers to checks with
 *   a password that it has told nobody, so that the native side, which insists on such an answer, never connects;
 * - for Chromium behind a TURN server that it reaches over TCP or TLS: its checks then name the tie-breaker 0, which the native
 *   side takes for none and refuses;
 * - for Firefox from its first ICE restart on: it insists that the DTLS association goes on, and the native side
 *   cannot restart.
 */
export class IceRelay implements RelayEnd {
  readonly #port: RelayPort
  /** Connected to the native side. */
  readonly #inside: Socket
  readonly #nativePort: number
  /** The native side's own description, and the browser's as the native side knows it. */
  readonly #nativeLocal: IceDescription
  readonly #nativeRemote: IceDescription
  readonly #tieBreaker = randomBytes(8).readBigUInt64BE()
  /** The latest, and the ones before a restart while they may still be in use. */
  readonly #generations: Generation[] = []
  readonly #addresses: BrowserAddress[] = []
  /** Where media goes. */
  #browser: BrowserAddress | null = null
  /** Where the browser wants media to go; the same as `#browser` once it has answered from there. */
  #nominated: BrowserAddress | null = null
  /** Whether the browser has shown since the last restart where it is. */
  #arrived = false
  #heardAtMs = 0
  #checks: NodeJS.Timeout | null = null
  #closed = false

  private constructor(
    port: RelayPort,
    inside: Socket,
    nativePort: number,
    nativeLocal: IceDescription,
    nativeRemote: IceDescription,
  ) {
    this.#port = port
    this.#inside = inside
    this.#nativePort = nativePort
    this.#nativeLocal = nativeLocal
    this.#nativeRemote = nativeRemote
    inside.on('message', (datagram) => this.#fromNative(datagram))
    // A native side that is gone has told so already.
    inside.on('error', () => {})
  }

  /**
   * @param nativeLocal how the native side described itself
   * @param nativeRemote how the browser described itself to the native side
   * @returns null where the worker has no second port, see {@link RelayPort.of}
   */
  static async open(
    rtc: RtcSettings,
    nativeLocal: IceDescription,
    nativeRemote: IceDescription,
  ): Promise<IceRelay | null> {
    const port = await RelayPort.of(rtc)
    if (!port) return null
    const nativePort = await sharedPort(rtc)
    const inside = await connectInside(rtc.bindAddress ?? loopbackOf(nativeLocal), nativePort)
    return new IceRelay(port, inside, nativePort, nativeLocal, nativeRemote)
  }

  /**
   * Begins, or begins anew at a restart. Returns our description for the browser.
   * @param browser its description as of now
   */
  begin(browser: IceDescription): IceDescription {
    const ours = {
      usernameFragment: randomBytes(6).toString('base64'),
      password: randomBytes(18).toString('base64'),
    }
    for (const old of this.#generations.splice(1)) this.#port.unregister(old.ours.usernameFragment)
    this.#generations.unshift({
      ours,
      browser,
      username: `${ours.usernameFragment}:${browser.usernameFragment}`,
    })
    this.#port.register(ours.usernameFragment, this)
    this.#arrived = false
    this.#nominated = null
    this.#endChecks()
    return { ...this.#nativeLocal, ...ours, candidates: this.#candidates() }
  }

  /** The same addresses as the native side's, at the port of the relays. */
  #candidates(): string[] {
    return this.#nativeLocal.candidates
      .map((candidate) => candidate.split(' '))
      .filter((parts) => this.#port.has(isIP(parts[4]!)) && Number(parts[5]) === this.#nativePort)
      .map((parts) => parts.with(5, String(this.#port.port)).join(' '))
  }

  onStun(datagram: Buffer, message: StunMessage, from: Address): void {
    if (message.type === BINDING_SUCCESS) this.#onAnswer(message, from)
    if (message.type !== BINDING_REQUEST) return
    // While Chromium waits for the answer to a restart, it tries new addresses with what was agreed before, and would keep them.
    const generation = this.#generations.find(({ username }) => username === message.username)
    if (!generation || !isAuthentic(datagram, message, generation.ours.password)) return
    const source = this.#accept(from)
    if (!source) return
    const { password } = generation.ours
    this.#port.send(writeBindingSuccess(message.transactionId, from.address, from.port, password), from)
    if (!source.answered) this.#checkAddress(source, generation)
    if (generation !== this.#generations[0]) return
    if (message.useCandidate || !this.#nominated) this.#nominated = source
    this.#follow()
  }

  /** Media follows the browser once it has shown that it receives where it says. */
  #follow(): void {
    if (!this.#nominated?.answered) return
    this.#browser = this.#nominated
    if (!this.#arrived) this.#beginChecks()
    this.#arrived = true
  }

  /** One check for each check of the browser, so that no address is sent more than we received from it. */
  #checkAddress(to: BrowserAddress, { ours, browser }: Generation): void {
    const check = writeBindingRequest({
      transactionId: to.checkId,
      username: `${browser.usernameFragment}:${ours.usernameFragment}`,
      password: browser.password,
      priority: PRIORITY,
      tieBreaker: this.#tieBreaker,
      role: 'controlled',
      useCandidate: false,
    })
    this.#port.send(check, to)
  }

  /** The signature is not checked (see above). Only a peer that received our check knows the transaction id. */
  #onAnswer({ transactionId }: StunMessage, from: Address): void {
    const source = this.#known(from)
    if (!source || !transactionId.equals(source.checkId)) return
    source.answered = true
    this.#follow()
  }

  get fingerprint(): string {
    return this.#nativeRemote.fingerprint
  }

  /** Where the browser's media goes; null before the browser has answered from anywhere. */
  get destination(): Address | null {
    return this.#browser
  }

  isInUse(address: Address): boolean {
    const heardAtMs = this.#known(address)?.heardAtMs ?? Number.NEGATIVE_INFINITY
    return performance.now() - heardAtMs < SILENCE_MS
  }

  #known({ address, port }: Address): BrowserAddress | undefined {
    return this.#addresses.find((known) => known.address === address && known.port === port)
  }

  /** @returns null where the address belongs to another browser */
  #accept(from: Address): BrowserAddress | null {
    if (!this.#port.accept(from, this)) return null
    this.#heardAtMs = performance.now()
    const known = this.#known(from)
    if (known) {
      known.heardAtMs = this.#heardAtMs
      return known
    }
    if (this.#addresses.length === MOST_ADDRESSES) this.#port.forget(this.#addresses.shift()!, this)
    const { address, port, family } = from
    const added = {
      address,
      port,
      family,
      heardAtMs: this.#heardAtMs,
      checkId: randomBytes(12),
      answered: false,
    }
    this.#addresses.push(added)
    return added
  }

  onDatagram(datagram: Buffer): void {
    if (this.#closed) return
    this.#heardAtMs = performance.now()
    this.#inside.send(datagram)
  }

  /** Tells the native side again and again that this is the way to the browser, until it has taken it. */
  #beginChecks(): void {
    let left = MOST_CHECKS
    const check = () => {
      if (left-- === 0) return this.#endChecks()
      this.#inside.send(
        writeBindingRequest({
          transactionId: randomBytes(12),
          username: `${this.#nativeLocal.usernameFragment}:${this.#nativeRemote.usernameFragment}`,
          password: this.#nativeLocal.password,
          priority: PRIORITY,
          tieBreaker: this.#tieBreaker,
          role: 'controlling',
          useCandidate: true,
        }),
      )
    }
    this.#endChecks()
    this.#checks = setInterval(check, CHECK_INTERVAL_MS)
    check()
  }

  #endChecks(): void {
    if (this.#checks) clearInterval(this.#checks)
    this.#checks = null
  }

  #fromNative(datagram: Buffer): void {
    if (isStun(datagram)) {
      this.#onNativeStun(datagram)
      return
    }
    // It has taken this way.
    if (this.#checks) this.#endChecks()
    if (this.#browser) this.#port.send(datagram, this.#browser)
  }

  /** The browser's consent is passed on, so that the native side notices when it is gone. */
  #onNativeStun(datagram: Buffer): void {
    if (performance.now() - this.#heardAtMs > SILENCE_MS) return
    const message = readStun(datagram)
    const { password } = this.#nativeRemote
    if (message?.type !== BINDING_REQUEST || !isAuthentic(datagram, message, password)) return
    const { address } = this.#inside.remoteAddress()
    this.#inside.send(writeBindingSuccess(message.transactionId, address, this.#nativePort, password))
  }

  /** Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#endChecks()
    for (const { ours } of this.#generations) this.#port.unregister(ours.usernameFragment)
    for (const address of this.#addresses) this.#port.forget(address, this)
    this.#inside.close()
  }
}

/**
 * The native side never gives up an address that a browser has nominated: it sends to the nominated pair with the highest
 * priority, which is the lower one of the two candidates' priorities. Its own IPv4 candidates have a lower priority than its
 * IPv6 ones. So the way through the relay replaces an IPv6 pair only if it is IPv6 itself.
 */
function loopbackOf({ candidates }: IceDescription): string {
  return candidates.some((candidate) => isIP(candidate.split(' ')[4] ?? '') === 6) ? '::1' : '127.0.0.1'
}

function connectInside(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIP(address) === 6 ? 'udp6' : 'udp4', lookup: numericOnly })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind({ address, port: 0, exclusive: true }, () =>
      socket.connect(port, address, () => {
        socket.off('error', reject)
        resolve(socket)
      }),
    )
  })
}
