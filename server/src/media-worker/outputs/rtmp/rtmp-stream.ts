import type { ConnectionTarget, StreamLossCause } from '../../../media/channel.ts'
import { FlvPublisher } from '../../codecs/flv-publisher.ts'
import type { EncodedVideoFrame } from '../../media-types.ts'
import { RoomTracks } from '../room-tracks.ts'
import { readRtmpAddress } from './rtmp-address.ts'
import { StreamRelay } from './stream-relay.ts'

export interface RtmpStreamOptions {
  url: string
  target: ConnectionTarget
  width: number
  height: number
  fps: number
  /** Ask the room's H264 encoder for a keyframe. */
  requestKeyframe: () => void
  /** The stream ended by itself after it was published. Called once. */
  onLost: (cause: StreamLossCause, detail: string) => void
}

/** Publishes the room to one RTMP server, over one connection. It never reconnects: the caller makes a new one. */
export class RtmpStream {
  readonly #options: RtmpStreamOptions
  readonly #relay: StreamRelay
  readonly #tracks: RoomTracks
  #publisher: FlvPublisher | null = null
  #isPublished = false
  #closing: Promise<void> | null = null
  #resolvePublished: (startedAt: number) => void = () => {}
  #rejectPublished: (error: Error) => void = () => {}
  /** Resolves with the Unix milliseconds at which the server took the stream; rejects, with a reason, when it did not. */
  readonly published: Promise<number>

  /** Starts to connect. {@link published} tells the outcome. */
  static async start(options: RtmpStreamOptions): Promise<RtmpStream> {
    const relay = await StreamRelay.open({
      target: options.target,
      onPublished: () => stream.#publish(),
      onLost: (cause, detail) => stream.#lose(cause, detail),
    })
    const stream = new RtmpStream(options, relay)
    return stream
  }

  private constructor(options: RtmpStreamOptions, relay: StreamRelay) {
    this.#options = options
    this.#relay = relay
    this.published = new Promise((resolve, reject) => {
      this.#resolvePublished = resolve
      this.#rejectPublished = reject
    })
    this.published.catch(() => {})
    this.#tracks = new RoomTracks({
      fps: options.fps,
      requestKeyframe: options.requestKeyframe,
      onStart: (_, videoHeader) => this.#openPublisher(videoHeader),
      onVideo: (data, timestamp, duration, keyframe) =>
        this.#publisher?.writeVideo(data, timestamp, duration, keyframe),
      onAudio: (data, timestamp, duration) => this.#publisher?.writeAudio(data, timestamp, duration),
    })
  }

  writeVideo(frame: EncodedVideoFrame): void {
    this.#tracks.writeVideo(frame)
  }

  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    this.#tracks.writeMix(pcm, capturedAtMs)
  }

  /** Ends the stream as its server expects it, within two seconds. Idempotent. */
  stop(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #openPublisher(videoHeader: Buffer): void {
    const { url, width, height, fps } = this.#options
    const { app, streamName, credentials, tcUrl } = readRtmpAddress(url)
    this.#publisher = new FlvPublisher({
      url: `rtmp://${credentials}127.0.0.1:${this.#relay.port}/`,
      tcUrl,
      app,
      streamName,
      width,
      height,
      fps,
      videoHeader,
      audioHeader: this.#tracks.audioHeader,
    })
  }

  #publish(): void {
    this.#isPublished = true
    this.#resolvePublished(Date.now())
  }

  #lose(cause: StreamLossCause, detail: string): void {
    if (this.#closing) return
    this.#rejectPublished(new Error(detail))
    void this.stop()
    if (this.#isPublished) this.#options.onLost(cause, detail)
  }

  async #close(): Promise<void> {
    this.#rejectPublished(new Error('the stream was stopped'))
    this.#tracks.finish()
    // From here on the publisher's thread has this long to finish.
    this.#relay.finish()
    await this.#publisher?.close()
    this.#relay.close()
  }
}
