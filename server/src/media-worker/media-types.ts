/**
 * What passes between transport, mixer and outputs inside a media worker. Unless a comment says otherwise, times named
 * `…Ms` are `performance.now()` of this process, and buffers are valid only during the call.
 */

export type VideoCodec = 'H264' | 'VP8'

/** The encodes of a room's picture: one for each codec, and a small one for browsers behind slow networks. */
export type VideoEncoding = VideoCodec | 'H264-small'

/** The codec of an encode. */
export function codecOf(encoding: VideoEncoding): VideoCodec {
  return encoding === 'VP8' ? 'VP8' : 'H264'
}

/** One whole encoded picture as it came from a camera, in decoding order. */
export interface ReceivedVideoFrame {
  codec: VideoCodec
  /** H264: Annex B with start codes; VP8: the frame as RFC 6386 has it. Owned by the receiver of the call. */
  data: Buffer
  keyframe: boolean
  /** 90 kHz, as sent. */
  rtpTimestamp: number
  /** When the sender captured it, on this process's clock, or null before the first sender report. */
  capturedAtMs: number | null
  /** When the last packet of the frame arrived. */
  arrivedAtMs: number
  /** When to show it if there is no sound to follow: on arrival on a good network, later where packets are retransmitted. */
  dueAtMs: number
}

/** What the adaptive jitter buffer of one microphone has for the next 20 ms. */
export type AudioPull =
  /** An Opus packet to decode. `durationSamples` at 48 kHz (usually 960). */
  | { kind: 'packet'; payload: Buffer; capturedAtMs: number | null }
  /** The packet is lost, but `next` carries its redundancy (Opus in-band FEC): decode `next` with FEC on. */
  | { kind: 'fec'; next: Buffer }
  /** Lost without repair: let the decoder conceal 20 ms. */
  | { kind: 'lost' }
  /** Nothing is being sent (muted, DTX, not started): silence, no concealment. */
  | { kind: 'silence' }

/** One microphone. The mixer pulls once every 20 ms. */
export interface AudioSource {
  pull(nowMs: number): AudioPull
}

/** One picture of the room's encoder. */
export interface EncodedVideoFrame {
  /** Which of the encodes this is of. */
  encoding: VideoEncoding
  /** H264: Annex B; every keyframe starts with SPS and PPS. VP8: one frame. Valid only during the call. */
  data: Buffer
  keyframe: boolean
  /** 90 kHz, unbounded; the transport takes it modulo 2^32 with an offset of its own. Tied to `capturedAtMs`. */
  rtpTimestamp: number
  /** When the canvas was composed. */
  capturedAtMs: number
}

/** One Opus packet for a listener: 20 ms, or 60 ms for one who cannot talk back. */
export interface EncodedAudioPacket {
  payload: Buffer
  /** 48 kHz, unbounded. Tied to `capturedAtMs`. */
  rtpTimestamp: number
  capturedAtMs: number
}

/** How much work a room's picture may take. */
export interface VideoEffort {
  /** Pictures a second, at most those of the room. */
  fps: number
  /** Encode with less work for each picture, which looks coarser at the same bitrate. */
  isFast: boolean
  /** How often a picture comes in which nothing moves. */
  stillIntervalMs: number
}
