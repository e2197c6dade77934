import nodeDataChannel, { type PeerConnection, type Track } from 'node-datachannel'
import type { Connection, ConnectionEvents, ConnectionState } from './connection.ts'
import { RelayPort } from './ice/relay-port.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { IceDescription } from './sdp/offer.ts'
import { SdpError } from './sdp/sdp-error.ts'
import { releaseSharedPorts } from './shared-port.ts'

/** Gathering only looks at the machine's own interfaces. */
const GATHERING_TIMEOUT_MS = 2000

/**
 * Tracks that are being closed: collected as garbage before they say that they are closed, they leave a dangling
 * pointer behind that brings the process down in `cleanup()`.
 */
const closing = new Set<Track>()

/**
 * One ICE and DTLS-SRTP transport, the only place that knows node-datachannel. It is used as a pipe for RTP and RTCP
 * packets: SDP, RTCP and streams are ours.
 *
 * The native side is given a description of its own, with one single media section whatever the browser offered. Then
 * it hands over every packet of the transport, whatever its SSRC, and each only once; with several sections it drops
 * streams that no SDP declares and repeats RTCP for each section.
 */
export class NativeConnection implements Connection {
  /** The library cannot. */
  readonly restart = null
  readonly #events: ConnectionEvents
  readonly #peer: PeerConnection
  /** Kept here, for the native side stops delivering once the track is collected as garbage. */
  readonly #track: Track
  readonly #remote: IceDescription
  #state: ConnectionState = 'connecting'
  #closed = false

  /**
   * Opens the transport; it connects as soon as the browser has the answer.
   * @param port from {@link sharedPort}
   */
  constructor(rtc: RtcSettings, port: number, remote: IceDescription, events: ConnectionEvents) {
    this.#events = events
    this.#remote = remote
    this.#peer = new nodeDataChannel.PeerConnection('', {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
      portRangeBegin: port,
      portRangeEnd: port,
      enableIceUdpMux: true,
      ...(rtc.bindAddress ? { bindAddress: rtc.bindAddress } : {}),
    })
    const media = new nodeDataChannel.Video('0', 'SendRecv')
    media.addVP8Codec(96)
    media.addSSRC(1, 'parley')
    this.#track = this.#peer.addTrack(media)
    const track = this.#track
    track.onClosed(() => closing.delete(track))
    track.onOpen(() => this.#setState('connected'))
    track.onMessage((packet) => {
      if (!this.#closed) events.onPacket(packet)
    })
    this.#peer.onStateChange((state) => {
      // It is connected for us once packets can be sent, which the track tells.
      if (state === 'disconnected') this.#setState('disconnected')
      else if (state === 'failed' || state === 'closed') this.#setState('failed')
    })
  }

  get connected(): boolean {
    return this.#state === 'connected'
  }

  get state(): ConnectionState {
    return this.#state
  }

  /**
   * Describes our side for the answer.
   * @param announcedIp offered as one more candidate for each port
   * @throws {SdpError} where the browser's description is not usable
   */
  async describe(announcedIp?: string): Promise<IceDescription> {
    const gathered = new Promise<void>((resolve) => {
      this.#peer.onGatheringStateChange((state) => {
        if (state === 'complete') resolve()
      })
    })
    try {
      this.#peer.setRemoteDescription(syntheticOffer(this.#remote), 'offer')
    } catch (error) {
      throw new SdpError(`the ICE or DTLS description is not usable: ${(error as Error).message}`)
    }
    this.#peer.setLocalDescription('answer')
    if (this.#peer.gatheringState() !== 'complete') await within(gathered, GATHERING_TIMEOUT_MS)
    const description = this.#peer.localDescription()
    if (!description) throw new Error('the transport closed while it was opened')
    return readLocal(description.sdp, announcedIp)
  }

  /** Sends an RTP or RTCP packet, which is copied. Returns whether it went out. */
  send(packet: Buffer): boolean {
    if (this.#state !== 'connected') return false
    try {
      return this.#track.sendMessageBinary(packet)
    } catch {
      // The transport closed under us; its state change is on its way.
      return false
    }
  }

  enqueue(packet: Buffer): boolean {
    return this.send(packet)
  }

  /** Nothing waits. */
  flush(): void {}

  /** Ends the transport without a word to the browser's ICE. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#state = 'failed'
    closing.add(this.#track)
    this.#track.close()
    this.#peer.close()
  }

  #setState(state: ConnectionState): void {
    if (this.#closed || state === this.#state || this.#state === 'failed') return
    this.#state = state
    this.#events.onState(state)
  }
}

/** Lets the process exit: the native threads would keep it alive. No connection can be used afterwards. */
export function releaseNativeTransports(): void {
  RelayPort.release()
  releaseSharedPorts()
  nodeDataChannel.cleanup()
}

/** Version of the native library, for `doctor`. */
export function nativeTransportVersion(): string {
  return nodeDataChannel.getLibraryVersion()
}

async function within(promise: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/** `end-of-candidates` is never passed on: a browser that hides its addresses offers no candidate at all. */
function syntheticOffer(remote: IceDescription): string {
  return [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sendrecv',
    'a=rtcp-mux',
    'a=rtpmap:96 VP8/90000',
    `a=setup:${remote.setup || 'actpass'}`,
    `a=ice-ufrag:${remote.usernameFragment}`,
    `a=ice-pwd:${remote.password}`,
    `a=fingerprint:${remote.fingerprint}`,
    ...remote.candidates.map((candidate) => `a=candidate:${candidate}`),
    '',
  ].join('\r\n')
}

function readLocal(sdp: string, announcedIp: string | undefined): IceDescription {
  const value = (name: string) => new RegExp(`^a=${name}:(.+?)\\s*$`, 'm').exec(sdp)?.[1] ?? ''
  const candidates = [...sdp.matchAll(/^a=candidate:(.+?)\s*$/gm)].map((match) => match[1]!)
  return {
    usernameFragment: value('ice-ufrag'),
    password: value('ice-pwd'),
    fingerprint: value('fingerprint'),
    setup: value('setup'),
    candidates: announcedIp ? [...candidates, ...announced(candidates, announcedIp)] : candidates,
  }
}

/** A host candidate at the announced address for each port of the machine's own ones of the same family. */
function announced(candidates: string[], address: string): string[] {
  const ports = new Set<string>()
  return candidates.flatMap((candidate) => {
    const parts = candidate.split(' ')
    const [foundation, , , priority, own, port] = parts
    if (own === undefined || port === undefined || priority === undefined) return []
    if (own.includes(':') !== address.includes(':') || ports.has(port)) return []
    ports.add(port)
    return `${foundation}1 1 UDP ${Number(priority) - 1} ${address} ${port} typ host`
  })
}
