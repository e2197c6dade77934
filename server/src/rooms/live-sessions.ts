import type { TokenKey } from './token-key.ts'

/** Why a session or a member ends from outside of the room. */
export type EndReason = 'room_deleted' | 'shutdown'

/** Why a stream does not run, or did not at last. */
export type StreamErrorClass =
  /** The address leads where streams may not go, by what its name resolves to now. */
  | 'address_refused'
  /** No connection, or the server did not take the stream. */
  | 'unreachable'
  /** The server took the stream, and closed the connection later. */
  | 'closed'
  /** The server took the stream, and stopped reading later. */
  | 'stalled'

/** How the connection of a stored stream is. Times are Unix milliseconds. */
export interface StreamCondition {
  /** `waiting`: there is no session in progress, or the stream was stopped in this one. */
  status: 'waiting' | 'connecting' | 'live' | 'retrying'
  liveSince: number | null
  retryingSince: number | null
  lastError: StreamErrorClass | null
}

/** Of a stream that no session sends. */
export const WAITING: StreamCondition = {
  status: 'waiting',
  liveSince: null,
  retryingSince: null,
  lastError: null,
}

/**
 * What the room definitions, the recordings and those who read of sessions need of the running ones: no more than this,
 * so that neither side knows the other.
 */
export interface LiveSessions {
  /**
   * Ends the session in progress of this room, if there is one: legs are closed, recordings finished, the session
   * stored as completed.
   * @returns when all of that has happened
   */
  endForRoom(projectId: string, roomId: string, reason: EndReason): Promise<void>
  /**
   * Stops the recording if it is running.
   * @returns when its file is closed and its record is `completed`
   */
  stopRecording(projectId: string, recordingId: string): Promise<void>
  /**
   * How long the media of a recording are by now, in milliseconds, pauses left out.
   * @returns null where no session has it, or nothing of it is in the file yet
   */
  recordedMs(projectId: string, recordingId: string): number | null
  /**
   * The stored streams of this room are others than before: the session in progress, if there is one, starts and stops
   * what it must, in its own time.
   */
  streamsChanged(projectId: string, roomId: string): void
  /** How the connection of a stored stream of this room is. */
  streamCondition(projectId: string, roomId: string, streamId: string): StreamCondition
  /** How many streams run in the session in progress of this room that are not stored: its members started them. */
  streamsOfMembers(projectId: string, roomId: string): number
  /**
   * A token lets nobody in any more: who is in a session of this project by it is put out.
   * @returns when that has happened
   */
  voidToken(projectId: string, token: TokenKey, reason: 'token_revoked' | 'token_reset'): Promise<void>
  /** Resolves when storage has all that has happened in the sessions of this project until now. */
  written(projectId: string): Promise<void>
}
