import nodeDataChannel, { type PeerConnection, type Track } from 'node-datachannel'

export const AUDIO_PAYLOAD_TYPE = 111
export const VIDEO_PAYLOAD_TYPE = 96

/** The SSRCs that a member sends with. */
export interface Ssrcs {
  audio: number
  video: number
}

/**
 * The ICE and DTLS-SRTP transport of a client. The native side knows one media section with one codec. So it hands over
 * all packets of every stream, and decodes none. The server gets an offer with audio and video, like a browser's.
 */
export class Pipe {
  readonly #connection: PeerConnection
  readonly #track: Track

  /** @param onPacket receives each decrypted RTP or RTCP packet */
  constructor(name: string, onPacket: (packet: Buffer) => void) {
    this.#connection = new nodeDataChannel.PeerConnection(name, {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
    })
    const media = new nodeDataChannel.Video('0', 'SendRecv')
    media.addVP8Codec(VIDEO_PAYLOAD_TYPE)
    media.addSSRC(1, name)
    this.#track = this.#connection.addTrack(media)
    this.#track.onMessage(onPacket)
  }

  get isOpen(): boolean {
    return this.#track.isOpen()
  }

  send(packet: Buffer): void {
    this.#track.sendMessageBinary(packet)
  }

  async offer(ssrcs: Ssrcs): Promise<string> {
    const gathered = new Promise<void>((resolve) => {
      this.#connection.onGatheringStateChange((state) => {
        if (state === 'complete') resolve()
      })
    })
    this.#connection.setLocalDescription('offer')
    if (this.#connection.gatheringState() !== 'complete') await gathered
    return browserOffer(this.#connection.localDescription()!.sdp, ssrcs)
  }

  /** Closes the transport. The other side is not told. */
  close(): void {
    this.#connection.close()
  }

  accept(answer: string): void {
    this.#connection.setRemoteDescription(singleSectionAnswer(answer), 'answer')
  }
}

const lineOf = (sdp: string, name: string): string => {
  const line = new RegExp(`^a=${name}:.+$`, 'm').exec(sdp)?.[0]
  if (line === undefined) throw new Error(`no a=${name} in ${sdp}`)
  return line.trim()
}

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`

/**
 * libdatachannel may fail if connectivity checks arrive before the answer. So the server must wait for the client's
 * checks. It gets one address at which nobody answers, because it takes a browser with no address for one that hides
 * its own.
 */
function browserOffer(native: string, ssrcs: Ssrcs): string {
  const shared = [
    'c=IN IP4 0.0.0.0',
    'a=candidate:1 1 UDP 1 127.0.0.1 9 typ host',
    lineOf(native, 'ice-ufrag'),
    lineOf(native, 'ice-pwd'),
    lineOf(native, 'fingerprint'),
    'a=setup:actpass',
    'a=sendrecv',
    'a=rtcp-mux',
  ]
  return lines(
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    `m=audio 9 UDP/TLS/RTP/SAVPF ${AUDIO_PAYLOAD_TYPE}`,
    ...shared,
    'a=mid:0',
    `a=rtpmap:${AUDIO_PAYLOAD_TYPE} opus/48000/2`,
    `a=ssrc:${ssrcs.audio} cname:member`,
    `m=video 9 UDP/TLS/RTP/SAVPF ${VIDEO_PAYLOAD_TYPE}`,
    ...shared,
    'a=mid:1',
    `a=rtpmap:${VIDEO_PAYLOAD_TYPE} VP8/90000`,
    ...['nack', 'nack pli', 'goog-remb'].map((feedback) => `a=rtcp-fb:${VIDEO_PAYLOAD_TYPE} ${feedback}`),
    `a=ssrc:${ssrcs.video} cname:member`,
  )
}

function singleSectionAnswer(answer: string): string {
  const candidates = new Set([...answer.matchAll(/^a=candidate:.+$/gm)].map(([line]) => line.trim()))
  return lines(
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    `m=video 9 UDP/TLS/RTP/SAVPF ${VIDEO_PAYLOAD_TYPE}`,
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sendrecv',
    'a=rtcp-mux',
    `a=rtpmap:${VIDEO_PAYLOAD_TYPE} VP8/90000`,
    ...['setup', 'ice-ufrag', 'ice-pwd', 'fingerprint'].map((name) => lineOf(answer, name)),
    ...candidates,
  )
}
