import { open, rm, stat } from 'node:fs/promises'
import type { RecordingResult } from '../../media/channel.ts'
import { Mp4Muxer } from '../codecs/mp4-muxer.ts'
import { VIDEO_CLOCK_HZ } from '../codecs/video-encoder.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import { repairRecording } from './repair.ts'
import { RoomTracks } from './room-tracks.ts'

export interface RecordingOptions {
  recordingId: string
  /** Absolute path of a file that does not exist yet; its folder does. */
  file: string
  width: number
  height: number
  fps: number
  /** Ask the room's H264 encoder for a keyframe: at the start, after a pause, and every 2 s between. */
  requestKeyframe: () => void
  /**
   * The recording ended by itself (disk full, write error). `result` is what can be played, or null for nothing.
   * Called once; `stop` then gives the same.
   */
  onFailed: (reason: string, result: RecordingResult | null) => void
}

/** One MP4 of the room: its tracks, pauses left out. */
export class Recording {
  readonly #options: RecordingOptions
  readonly #tracks: RoomTracks
  #muxer: Mp4Muxer | null = null
  #startedAt = 0
  #ending: Promise<RecordingResult> | null = null
  #resolveStarted: (startedAt: number) => void = () => {}
  #rejectStarted: (error: Error) => void = () => {}
  /** Resolves with the Unix milliseconds of the first frame once it is written; rejects when the recording ends before. */
  readonly started: Promise<number>

  /** Opens the file. @throws when it exists or cannot be made */
  static async start(options: RecordingOptions): Promise<Recording> {
    const handle = await open(options.file, 'wx')
    await handle.close()
    return new Recording(options)
  }

  private constructor(options: RecordingOptions) {
    this.#options = options
    this.started = new Promise((resolve, reject) => {
      this.#resolveStarted = resolve
      this.#rejectStarted = reject
    })
    // The caller may not wait for `started`; `stop` and `onFailed` report a failure too.
    this.started.catch(() => {})
    this.#tracks = new RoomTracks({
      fps: options.fps,
      requestKeyframe: options.requestKeyframe,
      onStart: (capturedAtMs, videoHeader) => this.#openMuxer(capturedAtMs, videoHeader),
      onVideo: (data, timestamp, duration, keyframe) =>
        this.#muxer?.writeVideo(data, timestamp, duration, keyframe),
      onAudio: (data, timestamp, duration) => this.#muxer?.writeAudio(data, timestamp, duration),
    })
  }

  /** Takes one picture of the H264 encode; other codecs are ignored. Copies what it keeps. */
  writeVideo(frame: EncodedVideoFrame): void {
    this.#tracks.writeVideo(frame)
  }

  /** Takes one tick of the full mix. Copies what it keeps. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    this.#tracks.writeMix(pcm, capturedAtMs)
  }

  /** What comes between `pause` and `resume` is not in the file and takes no time in it. Idempotent. */
  pause(): void {
    this.#tracks.pause()
  }

  /** The file goes on with the next keyframe. Idempotent. */
  resume(): void {
    this.#tracks.resume()
  }

  /** Finishes the file. Idempotent. @throws when there is nothing that can be played */
  stop(): Promise<RecordingResult> {
    this.#ending ??= this.#finish()
    return this.#ending
  }

  #openMuxer(capturedAtMs: number, videoHeader: Buffer): void {
    this.#startedAt = Math.round(Date.now() - (performance.now() - capturedAtMs))
    const { file, width, height, fps } = this.#options
    this.#muxer = new Mp4Muxer({
      file,
      width,
      height,
      fps,
      videoHeader,
      audioHeader: this.#tracks.audioHeader,
      onFirstPacket: () => this.#resolveStarted(this.#startedAt),
      onError: (error) => this.#fail(error),
    })
  }

  async #finish(): Promise<RecordingResult> {
    if (!this.#muxer) {
      this.#tracks.abandon()
      await rm(this.#options.file, { force: true })
      const error = new Error('nothing was recorded')
      this.#rejectStarted(error)
      throw error
    }
    const endedAt = Date.now()
    this.#tracks.finish()
    try {
      await this.#muxer.finish((this.#tracks.durationMs * VIDEO_CLOCK_HZ) / 1000)
    } catch (error) {
      this.#rejectStarted(error as Error)
      const result = await this.#salvage(endedAt)
      if (!result) throw error
      return result
    }
    return this.#result(endedAt, this.#tracks.durationMs, (await stat(this.#options.file)).size)
  }

  #fail(error: Error): void {
    if (this.#ending) return
    this.#tracks.abandon()
    this.#rejectStarted(error)
    const salvaged = this.#salvage(Date.now())
    this.#ending = salvaged.then((result) => {
      if (!result) throw error
      return result
    })
    // `onFailed` reports it, and so does a later `stop`.
    this.#ending.catch(() => {})
    salvaged.then(
      (result) => this.#options.onFailed(error.message, result),
      () => this.#options.onFailed(error.message, null),
    )
  }

  /** After a write error: what is in the file up to its last whole fragment. */
  async #salvage(endedAt: number): Promise<RecordingResult | null> {
    await this.#muxer?.abandon()
    const repaired = await repairRecording(this.#options.file)
    return repaired && this.#result(endedAt, repaired.durationMs, repaired.sizeInBytes)
  }

  #result(endedAt: number, durationMs: number, sizeInBytes: number): RecordingResult {
    const { recordingId } = this.#options
    return {
      recordingId,
      startedAt: this.#startedAt,
      endedAt,
      durationMs: Math.round(durationMs),
      sizeInBytes,
    }
  }
}
