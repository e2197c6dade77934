import type { TokenKey } from './token-key.ts'

/** Reasons to end a session that come from outside of it. */
export type EndReason = 'room_deleted' | 'shutdown'

/** Why a stream is not running: its last error. */
export type StreamErrorClass =
  /** The address's host name now resolves to a network that streams may not reach. */
  | 'address_refused'
  /** The connection failed, or the server did not accept the stream. */
  | 'unreachable'
  /** The server accepted the stream and closed the connection later. */
  | 'closed'
  /** The server accepted the stream and stopped reading later. */
  | 'stalled'

/** Connection state of a stored stream. Times are Unix milliseconds. */
export interface StreamCondition {
  /** `waiting`: no session is in progress, or the stream was stopped in this session. */
  status: 'waiting' | 'connecting' | 'live' | 'retrying'
  liveSince: number | null
  retryingSince: number | null
  lastError: StreamErrorClass | null
}

/** State of a stream that no session is sending. */
export const WAITING: StreamCondition = {
  status: 'waiting',
  liveSince: null,
  retryingSince: null,
  lastError: null,
}

/** Whether a session in progress takes more members. */
export interface SessionDoor {
  isLocked: boolean
  isFull: boolean
}

/** An answer that is there at once if the session runs on this node. */
export type Soon<T> = T | Promise<T>

/**
 * The interface of running sessions, of this node and of others, to room definitions, recordings and readers of session data. It is kept this
 * small so that neither side depends on the other.
 */
export interface LiveSessions {
  /** Somebody may join soon: what the first session needs is loaded meanwhile. */
  expectJoin(): void
  /**
   * Ends the session in progress of this room, if there is one. Its legs are closed, its recordings finished, and it
   * is stored as completed.
   * @returns when all of that has happened
   */
  endForRoom(projectId: string, roomId: string, reason: EndReason): Promise<void>
  /** @returns null if no session of this room is in progress */
  doorOf(projectId: string, roomId: string): Soon<SessionDoor | null>
  /**
   * Stops the recording if it is running.
   * @returns when its file is closed and its record is `completed`
   */
  stopRecording(projectId: string, recordingId: string): Promise<void>
  /**
   * Length of the media that a recording holds so far, in milliseconds, without pauses.
   * @returns null if no session has the recording, or if its file holds no media yet
   */
  recordedMs(projectId: string, recordingId: string): Soon<number | null>
  /**
   * The stored streams of this room have changed. The session in progress, if there is one, starts and stops streams
   * accordingly. This call does not wait for it.
   */
  streamsChanged(projectId: string, roomId: string): void
  /** Connection state of a stored stream of this room. */
  streamCondition(projectId: string, roomId: string, streamId: string): Soon<StreamCondition>
  /**
   * Number of streams in the session in progress of this room that its members started. These have no stored stream.
   */
  streamsOfMembers(projectId: string, roomId: string): Soon<number>
  /**
   * A token is void: it admits nobody any more. Members who currently use it in a session of this project are
   * removed.
   * @returns when that has happened
   */
  voidToken(projectId: string, token: TokenKey, reason: 'token_revoked' | 'token_reset'): Promise<void>
  /**
   * Resolves when storage has everything that has happened so far in the sessions of this project.
   * @param of only what is about recordings, which asks fewer nodes
   */
  written(projectId: string, of?: 'everything' | 'recordings'): Promise<void>
}
