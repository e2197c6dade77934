import type { RecordingResult } from '../../media/media-plane.ts'
import type { EncodedVideoFrame } from '../media-types.ts'

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

/** One MP4 of the room: the H264 pictures of its encoder and the full mix as AAC. */
export declare class Recording {
  /** Opens the file. @throws when it exists or cannot be made */
  static start(options: RecordingOptions): Promise<Recording>
  /** Resolves with the Unix milliseconds of the first frame once it is taken; rejects when the recording ends before. */
  readonly started: Promise<number>
  /** Takes one picture of the H264 encode; other codecs are ignored. Copies what it keeps. */
  writeVideo(frame: EncodedVideoFrame): void
  /** Takes one tick of the full mix. Copies what it keeps. */
  writeMix(pcm: Float32Array, capturedAtMs: number): void
  /** What comes between `pause` and `resume` is not in the file and takes no time in it. Both are idempotent. */
  pause(): void
  resume(): void
  /** Finishes the file. Idempotent. @throws when there is nothing that can be played */
  stop(): Promise<RecordingResult>
}
