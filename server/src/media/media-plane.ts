import type { EventEmitter } from 'node:events'
import type { PortRange } from '../config/media-options.ts'
import type {
  RecordingResult,
  Remote,
  RepairedRecording,
  RoomEvents,
  RoomMediaOptions,
  RoomMethods,
  WorkerLoad,
} from './channel.ts'

export type MediaRoomEvents = { [E in keyof RoomEvents]: [RoomEvents[E]] } & {
  /** The worker that served this leg has ended, and another one mixes the room. The leg cannot be renegotiated. */
  legGone: [{ legId: string }]
}

/**
 * The media of one running room session, as the server sees them: the requests and events of `channel.ts`. After
 * `died`, methods reject with `MediaWorkerGone` if the process has ended, and with an `Error` if only the room is
 * gone.
 */
export interface MediaRoom extends Remote<RoomMethods>, EventEmitter<MediaRoomEvents> {
  readonly sessionId: string
  /** Ends all legs, recordings and streams of the room. Idempotent. */
  close(): Promise<RecordingResult[]>
}

/** One media worker, seen from outside. */
export interface MediaWorkerState {
  /** UDP ports that it may use. */
  ports: PortRange
  /** `portless`: other programs have all of its ports, so it carries no room. */
  state: 'starting' | 'ready' | 'portless'
  load: Readonly<WorkerLoad>
}

/** All media workers together, as the rooms see them. */
export interface MediaPlane {
  /** Resolves once every worker answers. */
  start(): Promise<void>
  readonly ready: boolean
  readonly workers: readonly MediaWorkerState[]
  /** Whether the machine has power for more audience. */
  readonly admitsAudience: boolean
  /** Somebody may join soon: all workers load what rooms need, once. Does not wait for it. */
  prepare(): void
  /** Places a room on the least loaded worker. Its viewers are served by any. @throws MediaOverloaded, MediaWorkerGone */
  createRoom(options: RoomMediaOptions): Promise<MediaRoom>
  /**
   * Repairs a recording that was cut off (process killed, disk full), in place: it cuts the incomplete tail and writes
   * the index. A worker that dies during the repair is replaced by another.
   * @returns the true duration and size, or null where nothing of it can be played
   * @throws MediaWorkerGone when no worker lives long enough for it
   */
  repairRecording(file: string): Promise<RepairedRecording | null>
  /**
   * Takes a picture out of a recording and writes it as WebP. Both are absolute paths in the recordings folder.
   * @throws Error when that cannot be done, or no worker is ready; no file is left then
   */
  makePoster(source: string, target: string): Promise<void>
  stop(): Promise<void>
}

/** All media workers have too much to do: no room can begin. */
export class MediaOverloaded extends Error {
  override readonly name = 'MediaOverloaded'
}

/** The media worker that carried this room has died. */
export class MediaWorkerGone extends Error {
  override readonly name = 'MediaWorkerGone'
}
