import { SAMPLE_RATE } from '../codecs/opus-decoder.ts'
import { VIDEO_CLOCK_HZ } from '../codecs/video-encoder.ts'

const SAMPLES_PER_MS = SAMPLE_RATE / 1000
const TICKS_PER_SAMPLE = VIDEO_CLOCK_HZ / SAMPLE_RATE

/**
 * Where in the file each moment of the room goes. The file is a row of stretches without gaps; what lies between two of
 * them (a pause) takes no time. Positions are counted in samples at 48 kHz from the start of the file.
 */
export class RecordingTimeline {
  /** Both of the present stretch: when it began in the room, and where in the file. */
  #startMs = 0
  #startSample = 0
  #lastVideoTimestamp = -1

  /** The stretch begins with the picture captured at `capturedAtMs`. */
  startStretch(capturedAtMs: number): void {
    this.#startMs = capturedAtMs
  }

  /** The next stretch begins where the later of sound and picture ends. @param soundEnd position after the last sample */
  endStretch(soundEnd: number): void {
    this.#startSample = Math.max(soundEnd, Math.ceil((this.#lastVideoTimestamp + 1) / TICKS_PER_SAMPLE))
  }

  /** Position of the sample captured at that time; before the stretch for what was captured before it. */
  samplePosition(capturedAtMs: number): number {
    return this.#startSample + Math.round((capturedAtMs - this.#startMs) * SAMPLES_PER_MS)
  }

  /** 90 kHz; null for a picture that is not after the one before. */
  videoTimestamp(capturedAtMs: number): number | null {
    const timestamp = Math.round(
      this.#startSample * TICKS_PER_SAMPLE + ((capturedAtMs - this.#startMs) * VIDEO_CLOCK_HZ) / 1000,
    )
    if (timestamp <= this.#lastVideoTimestamp) return null
    this.#lastVideoTimestamp = timestamp
    return timestamp
  }

  /** Duration of the whole file. */
  durationMs(soundEnd: number, frameMs: number): number {
    const videoEndMs =
      this.#lastVideoTimestamp < 0 ? 0 : (this.#lastVideoTimestamp * 1000) / VIDEO_CLOCK_HZ + frameMs
    return Math.max(soundEnd / SAMPLES_PER_MS, videoEndMs)
  }
}
