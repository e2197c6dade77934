import type { Logger } from 'pino'
import type { RecordingResult, RoomPart } from '../../media/channel.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import { Recording } from './recording.ts'

export interface RoomRecordingsOptions {
  width: number
  height: number
  fps: number
  log: Logger
  /** Ask the room's H264 encoder for a keyframe. */
  requestKeyframe: () => void
  /** A recording was added or is gone. */
  onCountChanged: () => void
  /** A recording ended by itself. `result` is what can be played of it, or null for nothing. */
  onFailed: (recordingId: string, reason: string, result: RecordingResult | null) => void
}

/** The running recordings of a room. */
export class RoomRecordings implements RoomPart<'recordings'> {
  readonly #options: RoomRecordingsOptions
  readonly #recordings = new Map<string, Recording>()

  constructor(options: RoomRecordingsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#recordings.size
  }

  async startRecording(recordingId: string, file: string): Promise<{ startedAt: number }> {
    if (this.#recordings.has(recordingId)) throw new Error(`recording ${recordingId} exists already`)
    const { width, height, fps, requestKeyframe } = this.#options
    const recording = await Recording.start({
      recordingId,
      file,
      width,
      height,
      fps,
      requestKeyframe,
      onFailed: (reason, result) => this.#onFailed(recordingId, reason, result),
    })
    this.#recordings.set(recordingId, recording)
    this.#options.onCountChanged()
    return { startedAt: await recording.started }
  }

  pauseRecording(recordingId: string): void {
    this.#find(recordingId).pause()
  }

  resumeRecording(recordingId: string): void {
    this.#find(recordingId).resume()
  }

  async stopRecording(recordingId: string): Promise<RecordingResult> {
    const recording = this.#find(recordingId)
    this.#remove(recordingId)
    return recording.stop()
  }

  /** Takes one picture of the H264 encode. */
  writeVideo(frame: EncodedVideoFrame): void {
    for (const recording of this.#recordings.values()) recording.writeVideo(frame)
  }

  /** Takes one tick of the full mix. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void {
    for (const recording of this.#recordings.values()) recording.writeMix(pcm, capturedAtMs)
  }

  /** Stops all recordings. @returns those that can be played */
  async close(): Promise<RecordingResult[]> {
    const ended = await Promise.allSettled([...this.#recordings.keys()].map((id) => this.stopRecording(id)))
    return ended.filter((result) => result.status === 'fulfilled').map((result) => result.value)
  }

  #onFailed(recordingId: string, reason: string, result: RecordingResult | null): void {
    this.#remove(recordingId)
    this.#options.log.error({ recordingId, reason }, 'recording failed')
    this.#options.onFailed(recordingId, reason, result)
  }

  #remove(recordingId: string): void {
    this.#recordings.delete(recordingId)
    this.#options.onCountChanged()
  }

  #find(recordingId: string): Recording {
    const recording = this.#recordings.get(recordingId)
    if (!recording) throw new Error(`no running recording ${recordingId}`)
    return recording
  }
}
