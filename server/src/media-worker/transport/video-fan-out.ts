import type { EncodedVideoFrame, VideoCodec } from '../media-types.ts'
import type { WebRtcTransport } from './webrtc-transport.ts'

/** One encoded stream to many legs. */
export class VideoFanOut {
  readonly codec: VideoCodec

  /**
   * @param onKeyframeNeeded called when a leg joins or has lost the picture; may come in bursts, the room merges them
   */
  constructor(codec: VideoCodec, _onKeyframeNeeded: () => void) {
    this.codec = codec
  }

  /** How many legs receive this stream. */
  get size(): number {
    return 0
  }

  /** From now on this leg receives the stream, beginning with the next keyframe. */
  add(_transport: WebRtcTransport): void {}

  remove(_transport: WebRtcTransport): void {}

  /** Sends one frame to all legs. `frame.data` is not touched after the return. */
  publish(_frame: EncodedVideoFrame): void {}
}
