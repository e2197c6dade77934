import { AacEncoder } from '../codecs/audio-encoder.ts'
import { VIDEO_CLOCK_HZ } from '../codecs/video-encoder.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import { AacTrack } from './aac-track.ts'
import { endOfParameterSets } from './annex-b.ts'
import { RecordingTimeline } from './recording-timeline.ts'

/** Seeking goes from keyframe to keyframe, and a new viewer of a stream waits for one. */
const KEYFRAME_INTERVAL_MS = 2000
/** While a keyframe is awaited: how often it is asked for again. */
const KEYFRAME_RETRY_MS = 500
/** How much sound is kept from before the keyframe that starts a stretch: the mix runs up to a tick ahead of the picture. */
const KEPT_MIX_TICKS = 6

export interface RoomTracksOptions {
  fps: number
  /** Ask the room's H264 encoder for a keyframe: at the start, after a pause, and every 2 s between. */
  requestKeyframe: () => void
  /** The first keyframe is there. Called once, before anything else is. @param videoHeader SPS and PPS, Annex B */
  onStart: (capturedAtMs: number, videoHeader: Buffer) => void
  /** @param timestamp and `duration` in 90 kHz; `data`, without SPS and PPS, is lent for the call */
  onVideo: (data: Buffer, timestamp: number, duration: number, keyframe: boolean) => void
  /** @param timestamp and `duration` in samples; `data` is lent for the call */
  onAudio: (data: Buffer, timestamp: number, duration: number) => void
}

/**
 * The room as two tracks of one file or stream: the H264 pictures of its encoder as they are, and the full mix as AAC. They
 * start with a keyframe and the sound of the same moment, both at 0.
 */
export class RoomTracks {
  readonly #options: RoomTracksOptions
  readonly #timeline = new RecordingTimeline()
  readonly #aac: AacTrack
  /** `awaiting`: the next keyframe starts a stretch. */
  #state: 'awaiting' | 'running' | 'paused' | 'ended' = 'awaiting'
  #started = false
  /** Sound from before the stretch, oldest first, used in turn. */
  readonly #kept: { pcm: Float32Array; capturedAtMs: number }[] = []
  #lastKeyframeMs = 0
  #lastRequestMs = Number.NEGATIVE_INFINITY

  constructor(options: RoomTracksOptions) {
    this.#options = options
    this.#aac = new AacTrack({ encoder: new AacEncoder(), onPacket: options.onAudio })
    options.requestKeyframe()
  }

  /** Whether it takes nothing any more. */
  get hasEnded(): boolean {
    return this.#state === 'ended'
  }

  /** AudioSpecificConfig. */
  get audioHeader(): Buffer {
    return this.#aac.header
  }

  /** Whether there was a keyframe to start with. */
  get started(): boolean {
    return this.#started
  }

  /** Duration of the tracks so far, without pauses. */
  get durationMs(): number {
    return this.#timeline.durationMs(this.#aac.samplesWritten, this.#frameMs)
  }

  /** Takes one picture of the H264 encode; other codecs are ignored. */
  writeVideo(frame: EncodedVideoFrame): void {
    if (frame.encoding !== 'H264') return
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
    this.#options.onVideo(data, timestamp, Math.round(VIDEO_CLOCK_HZ / this.#options.fps), frame.keyframe)
  }

  /** Takes one tick of the full mix. Copies what it keeps. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    if (this.#state === 'running') this.#append(pcm, capturedAtMs)
    else if (this.#state !== 'ended') this.#keep(pcm, capturedAtMs)
  }

  /** What comes between `pause` and `resume` is not in the tracks and takes no time in them. Idempotent. */
  pause(): void {
    if (this.#state === 'ended' || this.#state === 'paused') return
    if (this.#state === 'running') this.#timeline.endStretch(this.#aac.samplesWritten)
    this.#kept.length = 0
    this.#state = 'paused'
  }

  /** The tracks go on with the next keyframe. Idempotent. */
  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'awaiting'
    this.#options.requestKeyframe()
  }

  /** Delivers the sound that is not delivered yet; nothing is taken any more. Idempotent. */
  finish(): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    this.#aac.finish()
    this.#aac.close()
  }

  /** Takes and delivers nothing any more. Idempotent. */
  abandon(): void {
    this.#state = 'ended'
    this.#aac.close()
  }

  get #frameMs(): number {
    return 1000 / this.#options.fps
  }

  #askAgain(nowMs: number): void {
    if (nowMs - this.#lastRequestMs < KEYFRAME_RETRY_MS) return
    this.#lastRequestMs = nowMs
    this.#options.requestKeyframe()
  }

  #startStretch({ data, capturedAtMs }: EncodedVideoFrame): void {
    if (!this.#started) {
      this.#started = true
      this.#options.onStart(capturedAtMs, Buffer.from(data.subarray(0, endOfParameterSets(data))))
    }
    this.#timeline.startStretch(capturedAtMs)
    this.#state = 'running'
    for (const kept of this.#kept) this.#append(kept.pcm, kept.capturedAtMs)
    this.#kept.length = 0
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
}
