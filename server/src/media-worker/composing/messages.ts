import type { FrameCopy } from '../codecs/frame-copy.ts'
import type { VideoEncoding } from '../media-types.ts'
import type { CameraFrame } from '../mixer/camera.ts'
import type { VideoMixer } from '../mixer/video-mixer.ts'

/** What passes between the loop of packets and sound and a thread that composes. All times are those of that loop. */

/** How a room's picture is made. */
export interface PictureOptions {
  width: number
  height: number
  fps: number
  nameLabels: boolean
  /** Absolute path of the room's preview; null for none. */
  previewFile: string | null
}

/** What is called from the other side as it is. */
type MixerMethod =
  | 'setMember'
  | 'removeMember'
  | 'endOfVideo'
  | 'setTiles'
  | 'removeFile'
  | 'requestKeyframe'
  | 'setBitrate'
  | 'setEffort'
  | 'setH264Enabled'
  | 'setSmallEnabled'
  | 'setVp8Enabled'

/** A call of a method of {@link VideoMixer}. */
export type MixerCall = { [M in MixerMethod]: { method: M; args: Parameters<VideoMixer[M]> } }[MixerMethod]

/** To the thread. `room` is the room's number. */
export type ToThread =
  | { kind: 'open'; room: number; options: PictureOptions }
  | ({ kind: 'call'; room: number } & MixerCall)
  /** `data` is transferred. */
  | { kind: 'frame'; room: number; memberId: string; frame: CameraFrame; showAtMs: number }
  /** What a played file shows from now on. Its memory is transferred, and comes back. */
  | { kind: 'file'; room: number; playbackId: string; picture: FrameCopy }
  /** Answered with `closed`. */
  | { kind: 'close'; room: number }
  /** Ends the thread. */
  | { kind: 'end' }

/** One encoded picture; `data` is transferred. */
export interface ComposedFrame {
  kind: 'frame'
  room: number
  encoding: VideoEncoding
  data: Uint8Array<ArrayBuffer>
  keyframe: boolean
  rtpTimestamp: number
  capturedAtMs: number
}

/** From the thread. */
export type FromThread =
  | ComposedFrame
  | { kind: 'keyframe wanted'; room: number; memberId: string }
  | { kind: 'file taken'; room: number; playbackId: string; memory: ArrayBuffer }
  | { kind: 'fault'; room: number; where: string; error: Error }
  | { kind: 'preview failed'; room: number; error: Error }
  | { kind: 'closed'; room: number }

/** What a thread gets at its start. */
export interface ThreadData {
  /** See {@link Counter}. */
  counters: Int32Array
  /** What to add to the thread's own `performance.now()`, less its {@link clockOffsetMs}. */
  clockOffsetMs: number
}

/** Places in memory that both sides see. */
export const Counter = {
  /** Bytes of cameras that the thread has not taken yet. */
  cameraBytes: 0,
  /** Bytes of encoded pictures that the loop of packets has not taken yet. */
  pictureBytes: 1,
  /** Grows while the thread's event loop turns. */
  beats: 2,
  /** Ticks at which a picture was composed if there was anything to, and those for which there was no time. */
  ticksMade: 3,
  ticksLeftOut: 4,
  /** Encodes of pictures, and the microseconds that they took. */
  encodes: 5,
  encodeUs: 6,
  count: 7,
} as const

/** Each thread counts `performance.now()` from its own start. This is the distance to the machine's monotonic clock. */
export function clockOffsetMs(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now()
}
