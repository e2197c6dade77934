import type { RoomPart, StreamLossCause, StreamOptions } from '../../../media/channel.ts'
import { type RoomOutputOptions, RoomOutputs } from '../room-outputs.ts'
import { RtmpStream } from './rtmp-stream.ts'

export interface RoomStreamsOptions extends RoomOutputOptions {
  /** A stream ended by itself. */
  onLost: (streamId: string, cause: StreamLossCause) => void
}

/** Starts and stops the streams of a room. */
export class RoomStreams implements RoomPart<'streams'> {
  readonly outputs: RoomOutputs<RtmpStream, void>
  readonly #options: RoomStreamsOptions

  constructor(options: RoomStreamsOptions) {
    this.#options = options
    this.outputs = new RoomOutputs(options.onCountChanged)
  }

  async startStream({ streamId, url, target }: StreamOptions): Promise<{ startedAt: number }> {
    const { width, height, fps, requestKeyframe } = this.#options
    const onLost = (cause: StreamLossCause, detail: string) => this.#onLost(streamId, cause, detail)
    const stream = await this.outputs.add(streamId, () =>
      RtmpStream.start({ url, target, width, height, fps, requestKeyframe, onLost }),
    )
    try {
      return { startedAt: await stream.published }
    } catch (error) {
      if (this.outputs.get(streamId) === stream) await this.stopStream(streamId)
      throw error
    }
  }

  async stopStream(streamId: string): Promise<void> {
    const stream = await this.outputs.take(streamId)
    await stream?.stop()
  }

  #onLost(streamId: string, cause: StreamLossCause, detail: string): void {
    this.outputs.remove(streamId)
    this.#options.log.warn({ streamId, cause, detail }, 'stream lost')
    this.#options.onLost(streamId, cause)
  }
}
