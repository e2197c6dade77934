/**
 * The contract between the server process and a media worker: every method and event, declared once. From it come the
 * room as the server sees it (`media-plane.ts`), the requests (`worker-room.ts`), the objects of the worker that do the
 * work ({@link RoomPart}) and the simulation of the tests. No media passes here: packets go between browser and worker,
 * recordings from the worker to the disk.
 */

import type { OverloadStep } from '../resources/overload-steps.ts'

/** Options of the media room of one session. */
export interface RoomMediaOptions {
  /** The room session's id. A session has one media room. */
  sessionId: string
  quality: '720p' | '1080p'
  fps: 20 | 30
  /** Play a tone to everybody when a member enters or leaves. */
  toneOnEntryAndExit: boolean
  /** Draw the names of members onto their tiles. */
  nameLabels: boolean
  /**
   * Absolute path of a preview video. The worker renews it from time to time while the room lasts. Null for no
   * preview.
   */
  previewFile: string | null
  /** Absolute path of the folder that gets the segments of HLS, for a room that is watched in that way; null without. */
  hlsFolder: string | null
}

/**
 * One rectangle of the composed picture, in percent of the canvas (0 to 100, the numbers of `layout.changed`).
 * The media worker crops the member's camera to fill it, and shows a screen whole. Later tiles are drawn over earlier
 * ones.
 */
export interface Tile {
  /** The member whose picture it shows. Absent for a played file. */
  memberId?: string
  /** The played file that it shows, whole as a screen. */
  playbackId?: string
  x: number
  y: number
  width: number
  height: number
}

/** State of a member for the mixers. Sent whole whenever any part changes. */
export interface MemberMedia {
  memberId: string
  /** For a screen share or an extra device: the owner's member id. The owner does not hear this source. */
  parentMemberId?: string | null
  /** The picture is a screen share. It is shown whole, because cropping would cut text, and it may stand still for long. */
  isScreen?: boolean
  /** Shown on the member's tile while there is no picture. */
  name: string
  /** The server drops what a muted member still sends. */
  audioMuted: boolean
  videoMuted: boolean
  /** A deaf member hears nothing. Its leg goes on with silence. */
  deaf: boolean
  /** -50 to 50, in steps of the client protocol. 0 leaves the level as it is. */
  inputVolume: number
  outputVolume: number
  /** 0 to 100: how easily the member counts as talking. At 0 it is not heard at all. */
  inputSensitivity: number
  /** On hold: neither its sound nor its picture gets into the room. It hears silence, and gets no picture. */
  held?: boolean
}

/** One peer connection of one member: the main leg, a screen share or an extra device. */
export interface LegOptions {
  /** Made by the server for each call, unique. The browser's own call id never comes here. */
  legId: string
  /** The member whose tile, gain and mute apply. An audience leg has a member id too, but never a tile. */
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

/** What to connect to. The server has just resolved the address and checked that the worker may open it. */
export interface ConnectionTarget {
  /** As the customer wrote it. With TLS, the certificate must be for this name. */
  host: string
  /** IP address of the host. */
  address: string
  port: number
  tls: boolean
}

/** One connection to an RTMP server. */
export interface StreamOptions {
  streamId: string
  /** `rtmp:` or `rtmps:`. A secret, because it holds the customer's key. */
  url: string
  /** What to connect to. The URL is not resolved again. */
  target: ConnectionTarget
}

/** A file or a live transmission that is played into the room. */
export interface PlaybackOptions {
  playbackId: string
  /** `http:`, `https:`, `rtmp:` or `rtmps:`. May hold a secret. */
  url: string
  /** -50 to 50, as for members. */
  volume: number
  /** Where to begin, in milliseconds. Ignored where there is no seeking. */
  positionMs: number
}

/** What a playback turned out to be. */
export interface PlaybackInfo {
  /** Null for a live transmission. */
  durationMs: number | null
  isSeekable: boolean
  /** It wants a tile. */
  hasPicture: boolean
}

/** Where a playback is. */
export interface PlaybackState {
  positionMs: number
  /** False while it is paused, or waits for its source. */
  isMoving: boolean
}

/** Why a playback ended by itself: it was played to its end, or its source broke. */
export type PlaybackEnd = 'finished' | 'lost'

/** A finished recording, as it lies on disk. */
export interface RecordingResult {
  recordingId: string
  /** Unix epoch, milliseconds. */
  startedAt: number
  endedAt: number
  /** Length of the media in the file. Paused time does not count. */
  durationMs: number
  sizeInBytes: number
}

/** The playable part of a recording that was cut off. */
export interface RepairedRecording {
  durationMs: number
  sizeInBytes: number
}

/** Why a live stream ended by itself: its server closed the connection, or stopped reading. */
export type StreamLossCause = 'closed' | 'stalled'

/** How the connection of a leg was in the last {@link QUALITY_INTERVAL_MS}. Null is not known, or nothing came. */
export interface LegQuality {
  memberId: string
  roundTripMs: number | null
  /** Interarrival jitter of what the browser sends. */
  jitterMs: number | null
  /** Share of packets that the network lost before any repair, 0 to 1. */
  uplinkLoss: number | null
  downlinkLoss: number | null
  /** RTP payload. */
  uplinkBitrateBps: number
  downlinkBitrateBps: number
  /** Pictures of the camera in a second; null where it sent none. */
  frameRate: number | null
}

/** How often the quality of the connections is told. */
export const QUALITY_INTERVAL_MS = 10_000

/** State of a leg's transport. `failed` is final, unless the browser negotiates anew. */
export type LegState = 'connected' | 'disconnected' | 'failed'

/**
 * Requests to a media room. The worker may throw an `Error`. Its message reaches the caller, which logs it and never
 * shows it to strangers.
 */
export interface RoomMethods {
  /**
   * Answers an offer. A known `legId` is renegotiated: same ICE credentials and new directions = media update;
   * a new ufrag = ICE restart; a new fingerprint = page reload, with a new transport in place of the old one.
   * @returns the SDP answer, audio section first, all of the server's candidates included
   * @throws when the offer cannot be understood or has nothing in common with the server; nothing is left behind
   */
  connectLeg(options: LegOptions): { answer: string }
  /** Idempotent. */
  closeLeg(legId: string): void
  /** Adds a member, or replaces its whole state. */
  setMember(member: MemberMedia): void
  /** Forgets a member. Its legs are closed by `closeLeg`. */
  removeMember(memberId: string): void
  /** Replaces the whole layout. */
  setTiles(tiles: Tile[]): void
  /** Plays a tone to everybody, unless the room was opened without tones. */
  playTone(tone: 'entry' | 'exit'): void
  /**
   * Starts a recording into `file` (an absolute path, which must not exist).
   * @returns when the first frame is in the file; `startedAt` in Unix milliseconds
   */
  startRecording(recordingId: string, file: string): { startedAt: number }
  pauseRecording(recordingId: string): void
  resumeRecording(recordingId: string): void
  stopRecording(recordingId: string): RecordingResult
  /**
   * Sends picture and sound to an RTMP server, over one connection.
   * @returns when the server has accepted the stream; `startedAt` in Unix milliseconds
   * @throws when it did not; the worker's log says why, and the caller may not tell. Nothing is left behind
   */
  startStream(options: StreamOptions): { startedAt: number }
  /** Idempotent. Also ends a stream that is still being started. */
  stopStream(streamId: string): void
  /**
   * Opens a file or a live transmission and plays it to everybody, with its sound in the mix and its picture in the tiles of its
   * id. Asks for the addresses that it leads to by `addressWanted`.
   * @returns when it is known what it is; it moves as soon as enough of it is here
   * @throws when it cannot be opened or played, or was stopped meanwhile. Nothing is left behind
   */
  startPlayback(options: PlaybackOptions): PlaybackInfo
  pausePlayback(playbackId: string): PlaybackState
  resumePlayback(playbackId: string): PlaybackState
  /** @throws where there is no seeking. @returns the position, within the file */
  seekPlayback(playbackId: string, positionMs: number): PlaybackState
  setPlaybackVolume(playbackId: string, volume: number): void
  /** Idempotent. Also ends a playback that is still being started. */
  stopPlayback(playbackId: string): void
  /** Answers `addressWanted`. @param target null for an address that may not be opened */
  giveAddress(questionId: number, target: ConnectionTarget | null): void
}

/** What lets one worker fetch a room's picture and sound from the worker that mixes it. Made by the server for each pair. */
export interface FeedKey {
  /** Unique. */
  feedId: string
  /** 32 random bytes, in hexadecimal digits. Both workers prove that they have it. */
  secret: string
}

/** Where a worker offers its feeds, over TCP. */
export interface FeedAddress {
  host: string
  port: number
}

/** A feed that a worker offers. */
export interface OfferedFeed extends FeedAddress {
  /** bit/s of the picture in the room's quality. */
  fullBitrateBps: number
}

/** What a worker needs to serve viewers of a room that another worker mixes. */
export interface ServedRoomOptions {
  sessionId: string
  feed: FeedKey & OfferedFeed
}

/** Requests to a worker process that are not for one of its rooms. */
export interface WorkerMethods {
  /** Loads what rooms need. Any other request does so too, and waits for it. */
  prepare(): void
  /** Opens a media room. @throws when the session has one already */
  createRoom(options: RoomMediaOptions): void
  /** Ends all legs, recordings and streams of a room. @returns its recordings; none where there is no such room */
  closeRoom(sessionId: string): RecordingResult[]
  /**
   * Offers the encoded picture and the sound of a room to another worker.
   * @throws when there is no such room, or no TCP port
   */
  openFeed(sessionId: string, feed: FeedKey): OfferedFeed
  /** Idempotent. */
  closeFeed(sessionId: string, feedId: string): void
  /**
   * Serves viewers of a room that another worker mixes: from now on the methods `connectLeg`, `closeLeg`, `setMember` and
   * `removeMember` may come for it, `openFeed` for further workers, and `closeRoom`. Its legs send nothing.
   * @returns once it is connected to the other worker
   * @throws when it cannot be, or when the worker has the room already. Nothing is left behind then
   */
  serveRoom(options: ServedRoomOptions): void
  /** Repairs a recording that was cut off, in place. @returns null where nothing of it can be played */
  repairRecording(file: string): RepairedRecording | null
  /** Takes a picture out of a recording and writes it as WebP. @throws when that cannot be done; no file is left then */
  makePoster(source: string, target: string): void
}

/** A part of a segment of HLS, which is in the segment's file now (RFC 8216bis, section 4.4.4.9). */
export interface HlsPart {
  /** Number of the segment, from 0. Its file is `<number>.m4s`. */
  segment: number
  /** Number of the part in the segment, from 0. */
  part: number
  /** Bytes in the file. */
  offset: number
  length: number
  durationMs: number
  /** When its first picture was composed, Unix milliseconds. */
  startedAt: number
  /** It begins with a keyframe. */
  isIndependent: boolean
  /** The segment has no more parts. Another segment may begin without this. */
  isLast: boolean
}

/** Events of a media room. */
export interface RoomEvents {
  /** The transport of a leg changed. */
  leg: { legId: string; state: LegState }
  talking: { memberId: string; talking: boolean }
  /** Every {@link QUALITY_INTERVAL_MS}: the connected legs that may send. */
  quality: { legs: LegQuality[] }
  /** Maximum that the camera of this leg should send, so that it fits its tile (docs/protocol.md, section 3.5). */
  videoWanted: { legId: string; width: number; height: number; frameRate: number }
  /** The recording ended without being asked to: a full disk, a failed encoder. */
  recordingFailed: { recordingId: string; reason: string; result: RecordingResult | null }
  /** A part of a segment of HLS is in its file. */
  hlsPart: HlsPart
  /** A live stream ended by itself. It is over. */
  streamLost: { streamId: string; cause: StreamLossCause }
  /** A playback began to move, or waits for its source. */
  playbackChanged: { playbackId: string } & PlaybackState
  /** A playback ended by itself. It is over. */
  playbackEnded: { playbackId: string; reason: PlaybackEnd; positionMs: number }
  /** A playback leads to this URL. It is opened once `giveAddress` says what to connect to. */
  addressWanted: { questionId: number; url: string; protocols: readonly string[] }
  /**
   * The room's media are gone: the worker closed a room that threw again and again (after finishing its recordings), or
   * the worker process has ended. Final. From a worker that only serves viewers of the room: those legs are gone.
   */
  died: { reason: string }
}

/** Events of a worker process as a whole. */
export interface WorkerEvents {
  /** Native parts are loaded; requests may come. */
  ready: { pid: number }
  /** Whether the worker has the UDP port that its connections share. Sent before `ready`, and once it gets one later. */
  port: { isOurs: boolean }
  /** Every {@link LOAD_REPORT_INTERVAL_MS}; also the worker's sign of life. */
  load: WorkerLoad
}

/** Load of a worker process. */
export interface WorkerLoad {
  /** CPU seconds per second since the last report, all threads. */
  cpu: number
  /** Share of the time in which the event loop was busy, 0 to 1. Packets pass through it, on one core. */
  loop: number
  /** Longest wait of the event loop since the last report. */
  eventLoopDelayMs: number
  /** Processor time of the whole machine that nobody uses, in cores. */
  spareCpu: number
  /** Share of the pictures since the last report for which there was no time, 0 to 1. */
  picturesLeftOut: number
  /** What the worker gives up at present. */
  step: OverloadStep
  /** Rooms that it mixes. */
  rooms: number
  /** Legs that it serves, also of rooms that others mix. */
  legs: number
  packets: PacketFigures
  pictures: PictureFigures
}

/** Packets of media since the start of the worker. */
export interface PacketFigures {
  /** From browsers. */
  received: number
  /** From browsers, and never came, also not again. */
  lost: number
  /** From browsers; the network lost them, and they came again. */
  repaired: number
  /** To browsers. */
  sent: number
  /** To browsers, once more because they asked for it. */
  sentAgain: number
  /** To browsers, of which they have reported how many they missed, and how many these were. */
  reported: number
  reportedLost: number
}

/** Pictures since the start of the worker. */
export interface PictureFigures {
  /** Ticks at which a room's picture was made, or left out because there was no time. */
  made: number
  leftOut: number
  /** Encodes of pictures, and the time that they took. */
  encodes: number
  encodeSeconds: number
}

export const LOAD_REPORT_INTERVAL_MS = 1000

/** How long an answer may take, in milliseconds, unless the tables below say otherwise. */
const USUAL_TIMEOUT_MS = 10_000

/** For each method of a room: the part of the worker's room that does it, and how long its answer may take. */
export const ROOM_METHODS = {
  connectLeg: { part: 'legs', timeoutMs: USUAL_TIMEOUT_MS },
  closeLeg: { part: 'legs', timeoutMs: USUAL_TIMEOUT_MS },
  setMember: { part: 'members', timeoutMs: USUAL_TIMEOUT_MS },
  removeMember: { part: 'members', timeoutMs: USUAL_TIMEOUT_MS },
  setTiles: { part: 'video', timeoutMs: USUAL_TIMEOUT_MS },
  playTone: { part: 'audio', timeoutMs: USUAL_TIMEOUT_MS },
  startRecording: { part: 'recordings', timeoutMs: USUAL_TIMEOUT_MS },
  pauseRecording: { part: 'recordings', timeoutMs: USUAL_TIMEOUT_MS },
  resumeRecording: { part: 'recordings', timeoutMs: USUAL_TIMEOUT_MS },
  stopRecording: { part: 'recordings', timeoutMs: USUAL_TIMEOUT_MS },
  // Longer than the worker itself waits for the server that is to take the stream.
  startStream: { part: 'streams', timeoutMs: 15_000 },
  stopStream: { part: 'streams', timeoutMs: USUAL_TIMEOUT_MS },
  startPlayback: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  pausePlayback: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  resumePlayback: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  seekPlayback: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  setPlaybackVolume: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  stopPlayback: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
  giveAddress: { part: 'playbacks', timeoutMs: USUAL_TIMEOUT_MS },
} as const satisfies Record<keyof RoomMethods, { part: string; timeoutMs: number }>

/** For each method of the worker process: how long its answer may take. */
export const WORKER_METHODS: Record<keyof WorkerMethods, { timeoutMs: number }> = {
  prepare: { timeoutMs: USUAL_TIMEOUT_MS },
  createRoom: { timeoutMs: USUAL_TIMEOUT_MS },
  // The room finishes its recordings first, which may take the disk a while.
  closeRoom: { timeoutMs: 20_000 },
  openFeed: { timeoutMs: USUAL_TIMEOUT_MS },
  closeFeed: { timeoutMs: USUAL_TIMEOUT_MS },
  serveRoom: { timeoutMs: USUAL_TIMEOUT_MS },
  repairRecording: { timeoutMs: 10 * 60_000 },
  // A slow disk may have to find its place in a long file.
  makePoster: { timeoutMs: 30_000 },
}

/** The events that a worker may send. Others are dropped. */
export const ROOM_EVENTS: Record<keyof RoomEvents, true> = {
  leg: true,
  talking: true,
  quality: true,
  videoWanted: true,
  recordingFailed: true,
  hlsPart: true,
  streamLost: true,
  playbackChanged: true,
  playbackEnded: true,
  addressWanted: true,
  died: true,
}

/** See {@link ROOM_EVENTS}. */
export const WORKER_EVENTS: Record<keyof WorkerEvents, true> = { ready: true, port: true, load: true }

export type RoomMethod = keyof typeof ROOM_METHODS
export type WorkerMethod = keyof WorkerMethods
export type RoomEvent = keyof RoomEvents
export type WorkerEvent = keyof WorkerEvents

/** Methods as the other process sees them: every call takes time and may fail. */
export type Remote<Methods> = {
  [M in keyof Methods]: Methods[M] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never
}

/** Methods as the worker implements them: at once or later. */
export type Handlers<Methods> = {
  [M in keyof Methods]: Methods[M] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Result | Promise<Result>
    : never
}

/** The parts of a room in the worker. */
export type RoomPartName = (typeof ROOM_METHODS)[RoomMethod]['part']

type MethodOf<Part extends RoomPartName> = {
  [M in RoomMethod]: (typeof ROOM_METHODS)[M]['part'] extends Part ? M : never
}[RoomMethod]

/** Methods that one part of a room in the worker must implement. */
export type RoomPart<Part extends RoomPartName> = Handlers<Pick<RoomMethods, MethodOf<Part>>>

/** Sends an event of one room to the server. */
export type SendRoomEvent = <E extends RoomEvent>(event: E, params: RoomEvents[E]) => void
