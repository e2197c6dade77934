import { EventEmitter } from 'node:events'
import type { AudioSource, EncodedAudioPacket, ReceivedVideoFrame, VideoCodec } from '../media-types.ts'
import type { MediaPermissions, RtcSettings } from './rtc-settings.ts'
import type { TransportStats } from './transport-stats.ts'

export interface WebRtcTransportEvents {
  /** `failed` is final: the transport has to be closed. */
  state: [state: 'connected' | 'disconnected' | 'failed']
}

/** The peer connection of one browser (one leg). */
export class WebRtcTransport extends EventEmitter<WebRtcTransportEvents> {
  readonly legId: string
  /** The browser's microphone, or null while it may not or does not send one. */
  readonly microphone: AudioSource | null = null
  /** The codec in which this browser takes the room's picture; null while it receives none. */
  readonly receivedVideoCodec: VideoCodec | null = null
  /** Called with every whole frame of the camera, in decoding order. */
  onVideoFrame: ((frame: ReceivedVideoFrame) => void) | null = null

  constructor(options: { legId: string; rtc: RtcSettings }) {
    super()
    this.legId = options.legId
  }

  /**
   * Answers an offer: the first one, a media update (same ufrag), an ICE restart (new ufrag) or a page reload (new
   * fingerprint).
   * @throws {SdpError} where the offer cannot be understood or has nothing in common with us; nothing has changed then
   */
  negotiate(_offer: string, _may: MediaPermissions, _preferredVideo?: VideoCodec): Promise<string> {
    throw new Error('not there yet')
  }

  /** Asks the camera for a keyframe; requests in quick succession are merged. */
  requestKeyframe(): void {}

  /** Caps what the camera sends. */
  setMaxReceiveBitrate(_bitrateBps: number): void {}

  /** Sends one 20 ms packet of what this browser hears. */
  sendAudio(_packet: EncodedAudioPacket): void {}

  get stats(): TransportStats {
    throw new Error('not there yet')
  }

  /** Ends the connection. Idempotent. */
  close(): void {}
}
