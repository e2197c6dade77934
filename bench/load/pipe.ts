import nodeDataChannel, { type PeerConnection, type Track } from 'node-datachannel'
import { browserAnswer, browserOffer, nativeDescription, type Ssrcs, VP8_PAYLOAD_TYPE } from './sdp.ts'
import type { Place } from './wire.ts'

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
    media.addVP8Codec(VP8_PAYLOAD_TYPE)
    media.addSSRC(1, name)
    this.#track = this.#connection.addTrack(media)
    this.#track.onMessage(onPacket)
  }

  get isOpen(): boolean {
    return this.#track.isOpen()
  }

  /** Sends a packet, unless the server has ended the connection meanwhile. */
  send(packet: Buffer): void {
    try {
      if (this.isOpen) this.#track.sendMessageBinary(packet)
    } catch (error) {
      // A thread of the library may close it between the two calls.
      if (this.isOpen) throw error
    }
  }

  /** @param ssrcs of what it will send; null to receive only */
  async offer(ssrcs: Ssrcs | null): Promise<string> {
    return browserOffer(await this.#describe('offer'), ssrcs)
  }

  /**
   * Receives what a server offers.
   * @param through the address to connect to instead of the server's own
   */
  async answer(offer: string, through?: Place): Promise<string> {
    this.#connection.setRemoteDescription(nativeDescription(offer, through), 'offer')
    return browserAnswer(await this.#describe('answer'), offer)
  }

  async #describe(type: 'offer' | 'answer'): Promise<string> {
    const gathered = new Promise<void>((resolve) => {
      this.#connection.onGatheringStateChange((state) => {
        if (state === 'complete') resolve()
      })
    })
    this.#connection.setLocalDescription(type)
    if (this.#connection.gatheringState() !== 'complete') await gathered
    return this.#connection.localDescription()!.sdp
  }

  /** @param through the address to connect to instead of the server's own */
  accept(answer: string, through?: Place): void {
    this.#connection.setRemoteDescription(nativeDescription(answer, through), 'answer')
  }

  /** Closes the transport. The other side is not told. */
  close(): void {
    this.#connection.close()
  }
}
