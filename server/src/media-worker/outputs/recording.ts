import { open, rm, stat } from 'node:fs/promises'
import type { RecordingResult } from '../../media/media-plane.ts'
import { AacEncoder } from '../codecs/audio-encoder.ts'
import { Mp4Muxer } from '../codecs/mp4-muxer.ts'
import { VIDEO_CLOCK_HZ } from '../codecs/video-encoder.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import { AacTrack } from './aac-track.ts'
import { endOfParameterSets } from './annex-b.ts'
import { RecordingTimeline } from './recording-timeline.ts'
import { repairRecording } from './repair.ts'

/** Seeking goes from keyframe to keyframe. */
const KEYFRAME_INTERVAL_MS = 2000
/** While a keyframe is awaited: how often it is asked for again. */
const KEYFRAME_RETRY_MS = 500
/** How much sound is kept from before the keyframe that starts a stretch: the mix runs up to a tick ahead of the picture. */
const KEPT_MIX_TICKS = 6

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

/**
 * One MP4 of the room: the H264 pictures of its encoder as they are, and the full mix as AAC. It starts with a keyframe and
 * the sound of the same moment, both at 0.
 */
export class Recording {
  readonly #options: RecordingOptions
  readonly #timeline = new RecordingTimeline()
  readonly #aac: AacTrack
  #muxer: Mp4Muxer | null = null
  /** `awaiting`: the next keyframe starts a stretch. */
  #state: 'awaiting' | 'running' | 'paused' | 'ended' = 'awaiting'
  /** Sound from before the stretch, oldest first, used in turn. */
  readonly #kept: { pcm: Float32Array; capturedAtMs: number }[] = []
  #lastKeyframeMs = 0
  #lastRequestMs = Number.NEGATIVE_INFINITY
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
    // Whoever does not wait for the start learns of its failure by `stop` or `onFailed`.
    this.started.catch(() => {})
    this.#aac = new AacTrack(new AacEncoder(), (data, timestamp, duration) =>
      this.#muxer?.writeAudio(data, timestamp, duration),
    )
    options.requestKeyframe()
  }

  /** Takes one picture of the H264 encode; other codecs are ignored. Copies what it keeps. */
  writeVideo(frame: EncodedVideoFrame): void {
    if (frame.codec !== 'H264') return
    if (this.#state === 'awaiting') {
      if (frame.keyframe) this.#startStretch(frame)
      else this.#askAgain(frame.capturedAtMs)
    }
    if (this.#state !== 'running') return
    const timestamp = this.#timeline.videoTimestamp(frame.capturedAtMs)
    if (timestamp === null) return
    if (frame.keyframe) this.#lastKeyframeMs = frame.capturedAtMs
    else if (frame.capturedAtMs - this.#lastKeyframeMs >= KEYFRAME_INTERVAL_MS - this.#frameMs)
      this.#askAgain(frame.capturedAtMs)
    const data = frame.keyframe ? frame.data.subarray(endOfParameterSets(frame.data)) : frame.data
    this.#muxer?.writeVideo(data, timestamp, Math.round(VIDEO_CLOCK_HZ / this.#options.fps), frame.keyframe)
  }

  /** Takes one tick of the full mix. Copies what it keeps. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    if (this.#state === 'running') this.#append(pcm, capturedAtMs)
    else if (this.#state !== 'ended') this.#keep(pcm, capturedAtMs)
  }

  /** What comes between `pause` and `resume` is not in the file and takes no time in it. Idempotent. */
  pause(): void {
    if (this.#state === 'ended' || this.#state === 'paused') return
    if (this.#state === 'running') this.#timeline.endStretch(this.#aac.samplesWritten)
    this.#kept.length = 0
    this.#state = 'paused'
  }

  /** The file goes on with the next keyframe. Idempotent. */
  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'awaiting'
    this.#options.requestKeyframe()
  }

  /** Finishes the file. Idempotent. @throws when there is nothing that can be played */
  stop(): Promise<RecordingResult> {
    this.#ending ??= this.#finish()
    return this.#ending
  }

  get #frameMs(): number {
    return 1000 / this.#options.fps
  }

  #askAgain(nowMs: number): void {
    if (nowMs - this.#lastRequestMs < KEYFRAME_RETRY_MS) return
    this.#lastRequestMs = nowMs
    this.#options.requestKeyframe()
  }

  #startStretch(keyframe: EncodedVideoFrame): void {
    if (!this.#muxer) {
      this.#startedAt = Math.round(Date.now() - (performance.now() - keyframe.capturedAtMs))
      this.#muxer = this.#openMuxer(keyframe)
    }
    this.#timeline.startStretch(keyframe.capturedAtMs)
    this.#state = 'running'
    for (const { pcm, capturedAtMs } of this.#kept) this.#append(pcm, capturedAtMs)
    this.#kept.length = 0
  }

  #openMuxer(keyframe: EncodedVideoFrame): Mp4Muxer {
    const { file, width, height, fps } = this.#options
    const videoHeader = Buffer.from(keyframe.data.subarray(0, endOfParameterSets(keyframe.data)))
    return new Mp4Muxer(
      { file, width, height, fps, videoHeader, audioHeader: this.#aac.header },
      () => this.#resolveStarted(this.#startedAt),
      (error) => this.#fail(error),
    )
  }

  #append(pcm: Float32Array, capturedAtMs: number): void {
    this.#aac.write(pcm, this.#timeline.samplePosition(capturedAtMs))
  }

  #keep(pcm: Float32Array, capturedAtMs: number): void {
    const slot =
      this.#kept.length < KEPT_MIX_TICKS
        ? { pcm: new Float32Array(pcm.length), capturedAtMs }
        : this.#kept.shift()
    if (!slot) return
    slot.pcm.set(pcm)
    slot.capturedAtMs = capturedAtMs
    this.#kept.push(slot)
  }

  async #finish(): Promise<RecordingResult> {
    this.#state = 'ended'
    if (!this.#muxer) {
      this.#aac.close()
      await rm(this.#options.file, { force: true })
      const error = new Error('nothing was recorded')
      this.#rejectStarted(error)
      throw error
    }
    const endedAt = Date.now()
    this.#aac.finish()
    this.#aac.close()
    try {
      await this.#muxer.finish()
    } catch (error) {
      this.#rejectStarted(error as Error)
      const result = await this.#salvage(endedAt)
      if (!result) throw error
      return result
    }
    const durationMs = this.#timeline.durationMs(this.#aac.samplesWritten, this.#frameMs)
    return this.#result(endedAt, durationMs, (await stat(this.#options.file)).size)
  }

  #fail(error: Error): void {
    if (this.#ending) return
    this.#state = 'ended'
    this.#rejectStarted(error)
    this.#aac.close()
    const salvaged = this.#salvage(Date.now())
    this.#ending = salvaged.then((result) => {
      if (!result) throw error
      return result
    })
    // Told by onFailed; whoever calls `stop` gets it again.
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
