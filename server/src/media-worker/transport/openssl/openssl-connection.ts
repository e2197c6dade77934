import type { Connection, ConnectionEvents, ConnectionState } from '../connection.ts'
import type { IceAgent } from '../ice/agent/ice-agent.ts'
import type { IceState } from '../ice/agent/ice-types.ts'
import type { RtcSettings } from '../rtc-settings.ts'
import { isRtcp } from '../rtp/rtp-packet.ts'
import type { IceDescription } from '../sdp/offer.ts'
import { SdpError } from '../sdp/sdp-error.ts'
import type { Destination } from './destination.ts'
import { Certificate } from './dtls/certificate.ts'
import { DtlsAssociation } from './dtls/dtls-association.ts'
import { parseFingerprint } from './dtls/fingerprint.ts'
import { MediaPort } from './media-port.ts'
import type { MediaSocket } from './media-socket.ts'
import { Memory } from './memory.ts'
import type { SrtpSession } from './srtp/srtp-session.ts'

/** Longer packets would not fit into a datagram of the usual MTU. */
const LONGEST_PACKET = 1400
/** Room for what SRTP adds. */
const scratch = new Memory(LONGEST_PACKET + 64)

/** One ICE and DTLS-SRTP transport by the OpenSSL inside Node, over the UDP port that all of the worker's share. */
export class OpenSslConnection implements Connection {
  readonly #events: ConnectionEvents
  readonly #port: MediaPort
  readonly #dtls: DtlsAssociation
  readonly #agent: IceAgent<MediaSocket>
  readonly #identity: Pick<IceDescription, 'fingerprint' | 'setup'>
  #session: SrtpSession | null = null
  #destination: Destination | null = null
  #iceState: IceState = 'checking'
  #state: ConnectionState = 'connecting'
  #closed = false

  /**
   * Opens the transport; it connects as soon as the browser has the answer.
   * @throws {SdpError} where the browser's description is not usable
   */
  constructor(rtc: RtcSettings, remote: IceDescription, events: ConnectionEvents) {
    const fingerprint = parseFingerprint(remote.fingerprint)
    if (!fingerprint) throw new SdpError('the ICE or DTLS description is not usable: no fingerprint')
    checkCredentials(remote)
    this.#events = events
    this.#port = MediaPort.of(rtc)
    // The server chooses SRTP's profile. Browsers would choose AES_128_CM_HMAC_SHA1_80, which costs twice what AES-GCM does.
    const role = remote.setup === 'passive' ? 'client' : 'server'
    const certificate = Certificate.create()
    this.#identity = {
      fingerprint: certificate.fingerprint,
      setup: role === 'server' ? 'passive' : 'active',
    }
    try {
      this.#dtls = new DtlsAssociation(role, certificate, fingerprint, {
        send: (memory, at, length) => this.#destination?.send(memory, at, length, 0),
        onConnected: (session) => this.#onSession(session),
        onEnd: () => this.#fail(),
      })
    } finally {
      certificate.close()
    }
    try {
      this.#agent = this.#port.openAgent(remote, {
        onState: (state) => this.#onIceState(state),
        onSelected: (path) => this.#onSelected(path?.socket.destination(path.remote) ?? null),
        onPathOpened: ({ socket, remote }) => socket.addReceiver(remote, this),
        onPathClosed: ({ socket, remote }) => socket.removeReceiver(remote, this),
      })
    } catch (error) {
      this.#dtls.close()
      throw error
    }
  }

  get state(): ConnectionState {
    return this.#state
  }

  get connected(): boolean {
    return this.#state === 'connected'
  }

  /** Our side, for the answer. */
  get local(): IceDescription {
    const { usernameFragment, password, candidates } = this.#agent.local
    return { usernameFragment, password, candidates: [...candidates], ...this.#identity }
  }

  restart(remote: IceDescription): IceDescription {
    checkCredentials(remote)
    this.#agent.restart(remote, performance.now())
    this.#port.hasten()
    return this.local
  }

  send(packet: Buffer): boolean {
    const session = this.#session
    const destination = this.#destination
    if (!session || !destination || packet.length < 2 || packet.length > LONGEST_PACKET) return false
    // What was enqueued before goes first.
    this.#port.run.flush()
    scratch.bytes.set(packet)
    const length = this.#protect(session, scratch, 0, packet.length)
    return length > 0 && destination.send(scratch, 0, length, 0)
  }

  enqueue(packet: Buffer): boolean {
    const session = this.#session
    const destination = this.#destination
    if (!session || !destination || packet.length > LONGEST_PACKET) return false
    const { run } = this.#port
    const at = run.place(destination, packet.length + session.sender.rtpOverhead)
    run.memory.bytes.set(packet, at)
    const length = this.#protect(session, run.memory, at, packet.length)
    if (length > 0) run.add(destination, length)
    return length > 0
  }

  /** Protects a packet in place. @returns its new length, or -1 where it cannot be sent */
  #protect({ sender }: SrtpSession, memory: Memory, at: number, length: number): number {
    try {
      return isRtcp(memory.bytes, at)
        ? sender.protectRtcp(memory, at, length)
        : sender.protect(memory, at, length)
    } catch {
      return this.#onFault()
    }
  }

  flush(): void {
    this.#port.run.flush()
  }

  /** Takes a datagram from an address that ICE has found to be the browser's. */
  onDatagram(memory: Memory, at: number, length: number): void {
    const first = memory.bytes[at]!
    // RFC 7983: 20 to 63 is DTLS, 128 to 191 is RTP and RTCP.
    if (first >= 20 && first <= 63) {
      try {
        this.#dtls.receive(memory, at, length)
      } catch {
        this.#onFault()
      }
      return
    }
    const session = this.#session
    if (!session || first < 128 || first > 191 || length < 2) return
    const plain = this.#unprotect(session, memory, at, length)
    if (plain > 0) this.#events.onPacket(Buffer.from(memory.bytes.subarray(at, at + plain)))
  }

  #unprotect({ receiver }: SrtpSession, memory: Memory, at: number, length: number): number {
    try {
      return isRtcp(memory.bytes, at)
        ? receiver.unprotectRtcp(memory, at, length)
        : receiver.unprotect(memory, at, length)
    } catch {
      return this.#onFault()
    }
  }

  /** A call of OpenSSL that fails for no fault of the browser's ends this connection, and nothing else. */
  #onFault(): -1 {
    this.#fail()
    return -1
  }

  #onSelected(destination: Destination | null): void {
    // What waits goes to where it was meant to go.
    this.#port.run.flush()
    this.#destination = destination
    if (destination) this.#dtls.start()
  }

  #onIceState(state: IceState): void {
    this.#iceState = state
    this.#update()
  }

  #onSession(session: SrtpSession): void {
    this.#session = session
    this.#update()
  }

  #update(): void {
    if (this.#iceState === 'failed' || this.#iceState === 'closed') this.#fail()
    else if (this.#session) this.#setState(this.#iceState === 'connected' ? 'connected' : 'disconnected')
  }

  #fail(): void {
    this.#destination = null
    this.#setState('failed')
  }

  #setState(state: ConnectionState): void {
    if (this.#closed || state === this.#state || this.#state === 'failed') return
    this.#state = state
    this.#events.onState(state)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#port.run.flush()
    this.#dtls.close()
    this.#destination = null
    this.#state = 'failed'
    this.#session?.sender.close()
    this.#session?.receiver.close()
    this.#session = null
    this.#port.closeAgent(this.#agent)
  }
}

/** @throws {SdpError} */
function checkCredentials({ usernameFragment, password }: IceDescription): void {
  if (usernameFragment === '' || password === '')
    throw new SdpError('the ICE or DTLS description is not usable: no ice-ufrag or ice-pwd')
}
