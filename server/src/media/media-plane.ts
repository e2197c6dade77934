import type { EventEmitter } from 'node:events'

/** What one room session asks of the composed picture. */
export interface RoomMediaOptions {
  /** The room session's id; one media room per session. */
  sessionId: string
  quality: '720p' | '1080p'
  fps: 20 | 30
  /** Play a tone to everybody when a member enters or leaves. */
  toneOnEntryAndExit: boolean
  /** Absolute path of a preview video that is made anew now and then while the room lasts; null for none. */
  previewFile: string | null
}

/**
 * One rectangle of the composed picture, in percent of the canvas (0 to 100, the numbers of `layout.changed`).
 * The media worker crops the member's camera to fill it, and shows a screen whole. Later tiles are drawn over earlier
 * ones.
 */
export interface Tile {
  memberId: string
  x: number
  y: number
  width: number
  height: number
}

/** What the mixers need to know of a member. Sent whole whenever any part changes. */
export interface MemberMedia {
  memberId: string
  /** Of a screen share or an extra device: the member whose it is, who does not want to hear it. */
  parentMemberId?: string | null
  /** Its picture is a screen share: shown whole, since cropping would cut what is to be read, and often standing still. */
  isScreen?: boolean
  /** Shown on the member's tile while there is no picture. */
  name: string
  /** The server drops what a muted member still sends. */
  audioMuted: boolean
  videoMuted: boolean
  /** A deaf member hears nothing; its leg goes on with silence. */
  deaf: boolean
  /** -50 to 50, in steps of the client protocol; 0 leaves the level as it is. */
  inputVolume: number
  outputVolume: number
  /** 0 to 100; how easily the member counts as talking. */
  inputSensitivity: number
}

/** One peer connection of one member: the main leg, a screen share or an extra device. */
export interface LegOptions {
  /** The call id chosen by the client, unique in the session. */
  legId: string
  /** Whose tile, gain and mute apply. An audience leg has a member id too, but never a tile. */
  memberId: string
  /** SDP offer of the browser, all candidates included (the protocol has no trickle). */
  offer: string
  /** What the token lets this leg send to the room. What is not allowed is answered as not received. */
  maySendAudio: boolean
  maySendVideo: boolean
  /** What the token lets this leg receive from the room. */
  mayReceiveAudio: boolean
  mayReceiveVideo: boolean
}

/** Where a stream is sent, resolved and found harmless just now. */
export interface StreamTarget {
  /** As the customer wrote it; with TLS its certificate must be for this name. */
  host: string
  /** IP address of the host. */
  address: string
  port: number
  tls: boolean
}

/** One connection to a server that takes streams. */
export interface StreamOptions {
  streamId: string
  /** `rtmp:` or `rtmps:`; a secret, since it holds the customer's key. */
  url: string
  /** What to connect to; the URL is not looked up again. */
  target: StreamTarget
}

/** A finished recording, as it lies on disk. */
export interface RecordingResult {
  recordingId: string
  /** Unix epoch, milliseconds. */
  startedAt: number
  endedAt: number
  /** Of the media in the file: paused time does not count. */
  durationMs: number
  sizeInBytes: number
}

/** Why a stream that was taken ended by itself: its server closed the connection, or takes nothing any more. */
export type StreamLossCause = 'closed' | 'stalled'

export type LegState = 'connected' | 'disconnected' | 'failed'

export interface MediaRoomEvents {
  /** The transport of a leg changed; `failed` is final. */
  leg: [{ legId: string; state: LegState }]
  talking: [{ memberId: string; talking: boolean }]
  /** What the camera of this leg should send at most, so that it fits its tile (docs/protocol.md, section 3.5). */
  videoWanted: [{ legId: string; width: number; height: number; frameRate: number }]
  /** The recording ended without being asked to: a full disk, a failed encoder. */
  recordingFailed: [{ recordingId: string; reason: string; result: RecordingResult | null }]
  /** A stream that was taken ended by itself. It is over. */
  streamLost: [{ streamId: string; cause: StreamLossCause }]
  /** This room's media are gone, alone or with their worker process. Final; every later call rejects. */
  died: [{ reason: string }]
}

/** The media of one running room session. Every method rejects with `MediaWorkerGone` after `died`. */
export interface MediaRoom extends EventEmitter<MediaRoomEvents> {
  readonly sessionId: string
  /**
   * Answers an offer. A known `legId` is renegotiated: same ICE credentials and new directions = media update;
   * a new ufrag = ICE restart; a new fingerprint = page reload, with a new transport in place of the old one.
   * @returns the SDP answer, audio section first, all of the server's candidates included
   * @throws when the offer cannot be understood or has nothing in common with the server; nothing is left behind
   */
  connectLeg(options: LegOptions): Promise<{ answer: string }>
  closeLeg(legId: string): Promise<void>
  /** Adds a member or replaces all that is known about it. */
  setMember(member: MemberMedia): Promise<void>
  /** Forgets a member. Its legs are closed by `closeLeg`. */
  removeMember(memberId: string): Promise<void>
  /** Replaces the whole layout. */
  setTiles(tiles: Tile[]): Promise<void>
  playTone(tone: 'entry' | 'exit'): Promise<void>
  /**
   * Starts a recording into `file` (an absolute path, which must not exist).
   * @returns when the first frame is in the file; `startedAt` in Unix milliseconds
   */
  startRecording(recordingId: string, file: string): Promise<{ startedAt: number }>
  pauseRecording(recordingId: string): Promise<void>
  resumeRecording(recordingId: string): Promise<void>
  stopRecording(recordingId: string): Promise<RecordingResult>
  /**
   * Sends picture and sound to an RTMP server, over one connection.
   * @returns when the server has taken the stream; `startedAt` in Unix milliseconds
   * @throws Error when it did not; the worker's log says why, and the caller may not tell. Nothing is left behind
   */
  startStream(options: StreamOptions): Promise<{ startedAt: number }>
  /** Idempotent; also ends one that is being started. */
  stopStream(streamId: string): Promise<void>
  /** Ends all legs, recordings and streams of the room. Idempotent. */
  close(): Promise<RecordingResult[]>
}

/** All media workers together, as the rooms see them. */
export interface MediaPlane {
  /** Resolves once every worker answers. */
  start(): Promise<void>
  readonly ready: boolean
  /** Places a room on the least loaded worker. */
  createRoom(options: RoomMediaOptions): Promise<MediaRoom>
  /**
   * Makes a recording that was cut off (process killed, disk full) whole again, in place: the incomplete tail is cut,
   * the index written.
   * A worker that dies over it is replaced by another.
   * @returns the true duration and size, or null where nothing of it can be played
   * @throws MediaWorkerGone when no worker lives long enough for it
   */
  repairRecording(file: string): Promise<{ durationMs: number; sizeInBytes: number } | null>
  stop(): Promise<void>
}

/** The media worker that carried this room has died. */
export class MediaWorkerGone extends Error {
  override readonly name = 'MediaWorkerGone'
}
