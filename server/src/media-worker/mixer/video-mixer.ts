import type { MemberMedia, Tile } from '../../media/media-plane.ts'
import type { EncodedVideoFrame, ReceivedVideoFrame, VideoCodec } from '../media-types.ts'
import type { LipSync } from './lip-sync.ts'

export interface VideoMixerOptions {
  width: number
  height: number
  fps: 20 | 30
  /** Of the H264 and of the VP8 encode each. Default by size and rate, see `defaultVideoBitrateBps`. */
  bitrateBps?: number
  /** The same object as the room's audio mixer has. Without it pictures are shown as soon as they are decoded. */
  lipSync?: LipSync
  /** Each encoded picture of each running codec. The frame object and its data are lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
  /** The decoder has lost its reference or has just started: ask this camera for a keyframe. At most twice a second. */
  onKeyframeWanted: (memberId: string) => void
}

/** The room's one composed picture. Starts with no codec enabled. */
export declare class VideoMixer {
  constructor(options: VideoMixerOptions)
  /** Adds a member or replaces what is known about it. */
  setMember(member: MemberMedia): void
  removeMember(memberId: string): void
  setTiles(tiles: Tile[]): void
  /** Decodes at once. Frames of unknown members, muted cameras and members without a tile are dropped. */
  pushFrame(memberId: string, frame: ReceivedVideoFrame): void
  /** The camera's leg is gone: its name card from the next tick on. */
  endOfVideo(memberId: string): void
  /** The largest tile of this member in pixels, or null while it has none. */
  tileSize(memberId: string): { width: number; height: number } | null
  /** Makes the next tick's picture a keyframe; coalesced, at most about four a second. */
  requestKeyframe(codec: VideoCodec): void
  /** Besides those asked for, a keyframe of each codec at least this often; null for none. */
  setKeyframeInterval(intervalMs: number | null): void
  /** Run the H264 encode: any member, recording or stream needs it. */
  setH264Enabled(on: boolean): void
  /** Run the VP8 encode: some member takes no H264. */
  setVp8Enabled(on: boolean): void
  /** Composes and encodes one picture as of `nowMs`. */
  tick(nowMs: number): void
  /** Calls `tick` at the frame rate. */
  start(): void
  /** Ends the ticking and frees everything native. Final. */
  stop(): void
}
