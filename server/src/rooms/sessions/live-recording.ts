import { join } from 'node:path'
import type { RecordingRecord } from '../../storage/records.ts'
import type { RecordingView } from './participant.ts'

/** Path of a recording below the recordings folder. */
export function recordingFile(recordingId: string): string {
  return `${recordingId}.mp4`
}

/** A recording of a running session. */
export class LiveRecording implements RecordingView {
  readonly id: string
  readonly file: string
  readonly createdAt: number
  status: RecordingRecord['status'] = 'recording'
  startedAt: number | null = null
  endedAt: number | null = null
  durationMs: number | null = null
  sizeInBytes: number | null = null
  /** Settles when the first frame is in the file, or when it is certain that none will be. */
  started: Promise<void> = Promise.resolve()
  /** Set when the recording starts to finish. Resolves when it is completed. */
  finished: Promise<void> | null = null
  /** Length of the media before the last pause, in milliseconds. */
  #lengthMs = 0
  /** Since when media are written without a pause. Null while none are written. */
  #runsSince: number | null = null

  constructor(id: string, folder: string, createdAt: number) {
    this.id = id
    this.createdAt = createdAt
    this.file = join(folder, recordingFile(id))
  }

  get state(): RecordingView['state'] {
    return this.status === 'processing' ? 'completed' : this.status
  }

  get isRunning(): boolean {
    return this.finished === null
  }

  /** From now on, media are written to the file. */
  run(now: number): void {
    this.#runsSince = now
  }

  /** From now on, no media are written to the file. */
  halt(now: number): void {
    this.#lengthMs = this.lengthMs(now)
    this.#runsSince = null
  }

  /** Length of the media so far, in milliseconds, without pauses. */
  lengthMs(now: number): number {
    return this.#lengthMs + (this.#runsSince === null ? 0 : Math.max(0, now - this.#runsSince))
  }
}
