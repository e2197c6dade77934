import type { Logger } from 'pino'
import type { RoomPart, StreamLossCause, StreamOptions } from '../../../media/channel.ts'
import type { EncodedVideoFrame } from '../../media-types.ts'
import { RtmpStream } from './rtmp-stream.ts'

export interface RoomStreamsOptions {
  width: number
  height: number
  fps: number
  log: Logger
  /** Ask the room's H264 encoder for a keyframe. */
  requestKeyframe: () => void
  /** A stream was added or is gone. */
  onCountChanged: () => void
  /** A stream ended by itself. */
  onLost: (streamId: string, cause: StreamLossCause) => void
}

/** The streams of a room, those that are being started included. */
export class RoomStreams implements RoomPart<'streams'> {
  readonly #options: RoomStreamsOptions
  readonly #streams = new Map<string, RtmpStream>()

  constructor(options: RoomStreamsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#streams.size
  }

  async startStream({ streamId, url, target }: StreamOptions): Promise<{ startedAt: number }> {
    if (this.#streams.has(streamId)) throw new Error(`stream ${streamId} exists already`)
    const { width, height, fps, requestKeyframe } = this.#options
    const stream = await RtmpStream.start({
      url,
      target,
      width,
      height,
      fps,
      requestKeyframe,
      onLost: (cause, detail) => this.#onLost(streamId, cause, detail),
    })
    this.#streams.set(streamId, stream)
    this.#options.onCountChanged()
    try {
      return { startedAt: await stream.published }
    } catch (error) {
      if (this.#streams.get(streamId) === stream) await this.stopStream(streamId)
      throw error
    }
  }

  async stopStream(streamId: string): Promise<void> {
    const stream = this.#streams.get(streamId)
    this.#remove(streamId)
    await stream?.stop()
  }

  /** Takes one picture of the H264 encode. */
  writeVideo(frame: EncodedVideoFrame): void {
    for (const stream of this.#streams.values()) stream.writeVideo(frame)
  }

  /** Takes one tick of the full mix. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    for (const stream of this.#streams.values()) stream.writeMix(pcm, capturedAtMs)
  }

  /** Stops all streams. Never rejects. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#streams.keys()].map((id) => this.stopStream(id)))
  }

  #onLost(streamId: string, cause: StreamLossCause, detail: string): void {
    this.#remove(streamId)
    this.#options.log.warn({ streamId, cause, detail }, 'stream lost')
    this.#options.onLost(streamId, cause)
  }

  #remove(streamId: string): void {
    this.#streams.delete(streamId)
    this.#options.onCountChanged()
  }
}
