import type { RecordingResult, RoomPart } from '../../media/channel.ts'
import { Recording } from './recording.ts'
import { type RoomOutputOptions, RoomOutputs } from './room-outputs.ts'

export interface RoomRecordingsOptions extends RoomOutputOptions {
  /** A recording ended by itself. `result` is what can be played of it, or null for nothing. */
  onFailed: (recordingId: string, reason: string, result: RecordingResult | null) => void
}

/** Starts, pauses and stops the recordings of a room. */
export class RoomRecordings implements RoomPart<'recordings'> {
  readonly outputs: RoomOutputs<Recording, RecordingResult>
  readonly #options: RoomRecordingsOptions

  constructor(options: RoomRecordingsOptions) {
    this.#options = options
    this.outputs = new RoomOutputs(options.onCountChanged)
  }

  async startRecording(recordingId: string, file: string): Promise<{ startedAt: number }> {
    const { width, height, fps, requestKeyframe } = this.#options
    const onFailed = (reason: string, result: RecordingResult | null) =>
      this.#onFailed(recordingId, reason, result)
    const recording = await this.outputs.add(recordingId, () =>
      Recording.start({ recordingId, file, width, height, fps, requestKeyframe, onFailed }),
    )
    return { startedAt: await recording.started }
  }

  pauseRecording(recordingId: string): void {
    running(this.outputs.get(recordingId), recordingId).pause()
  }

  resumeRecording(recordingId: string): void {
    running(this.outputs.get(recordingId), recordingId).resume()
  }

  async stopRecording(recordingId: string): Promise<RecordingResult> {
    return running(await this.outputs.take(recordingId), recordingId).stop()
  }

  #onFailed(recordingId: string, reason: string, result: RecordingResult | null): void {
    this.outputs.remove(recordingId)
    this.#options.log.error({ recordingId, reason }, 'recording failed')
    this.#options.onFailed(recordingId, reason, result)
  }
}

function running(recording: Recording | undefined, recordingId: string): Recording {
  if (!recording) throw new Error(`no running recording ${recordingId}`)
  return recording
}
