import type { ListPage, ListRequest } from '../list-page.ts'
import type {
  ConferenceTokenRecord,
  RevokedRoomTokenRecord,
  RoomRecord,
  StreamRecord,
  StreamRunRecord,
} from '../records.ts'

/**
 * Rooms and conferences. They share one set of names. Every query takes the project's id and finds no row of another
 * project.
 */
export interface RoomRepository {
  /** @throws UniqueViolation when the project has a room or conference of that name */
  insert(room: RoomRecord): Promise<void>
  find(projectId: string, id: string): Promise<RoomRecord | undefined>
  /**
   * Like `find`, but locks the row. Only inside a transaction: until it ends, nobody else can change, delete or lock
   * the room.
   */
  hold(projectId: string, id: string): Promise<RoomRecord | undefined>
  findByName(projectId: string, name: string): Promise<RoomRecord | undefined>
  /** Names of those of these rooms and conferences that exist, keyed by id. */
  findNames(projectId: string, ids: readonly string[]): Promise<Map<string, string>>
  /** Returns the ids among `ids` that belong to a conference. */
  findConferenceIds(projectId: string, ids: readonly string[]): Promise<Set<string>>
  update(projectId: string, id: string, changes: Partial<RoomRecord>): Promise<RoomRecord | undefined>
  /** Deletes a room with its conference tokens and streams. Its sessions stay. */
  delete(projectId: string, id: string): Promise<boolean>
  list(
    projectId: string,
    filter: {
      /** Default: rooms. Lists by name are quick with `any` only, lists by time only without it. */
      kind?: 'room' | 'conference' | 'any' | undefined
      /** Only these names. A `*` at the end of a name matches every name with that prefix. */
      names?: readonly string[] | undefined
      /** Only those that people see under this name: the display name, or the name of a room without one. */
      displayName?: string | undefined
      startsAfter?: number | undefined
      endsBefore?: number | undefined
    },
    request: ListRequest,
  ): Promise<ListPage<RoomRecord>>
}

export interface ConferenceTokenRepository {
  insert(token: ConferenceTokenRecord): Promise<void>
  find(projectId: string, id: string): Promise<ConferenceTokenRecord | undefined>
  /** Searches all projects: the hash tells which project the token belongs to. */
  findByHash(hash: string): Promise<ConferenceTokenRecord | undefined>
  update(
    projectId: string,
    id: string,
    changes: Partial<ConferenceTokenRecord>,
  ): Promise<ConferenceTokenRecord | undefined>
  list(
    projectId: string,
    conferenceId: string,
    request: ListRequest,
  ): Promise<ListPage<ConferenceTokenRecord>>
}

export interface StreamRepository {
  insert(stream: StreamRecord): Promise<void>
  find(projectId: string, id: string): Promise<StreamRecord | undefined>
  /** Returns the ids among `ids` that belong to a stream. */
  findIds(projectId: string, ids: readonly string[]): Promise<Set<string>>
  update(projectId: string, id: string, changes: Partial<StreamRecord>): Promise<StreamRecord | undefined>
  delete(projectId: string, id: string): Promise<boolean>
  /** All streams of a room or conference, newest first. Not paged, because a room has few streams. */
  listOfRoom(projectId: string, roomId: string): Promise<StreamRecord[]>
  /** Like `listOfRoom`, but paged. */
  list(projectId: string, roomId: string, request: ListRequest): Promise<ListPage<StreamRecord>>
  /** All streams of a project, newest first. */
  listOfProject(projectId: string, request: ListRequest): Promise<ListPage<StreamRecord>>
}

export interface StreamRunRepository {
  insert(run: StreamRunRecord): Promise<void>
  find(projectId: string, id: string): Promise<StreamRunRecord | undefined>
  update(projectId: string, id: string, changes: Partial<StreamRunRecord>): Promise<void>
  /** Stores the run as open, whether storage had it as ended or did not have it. */
  reopen(run: StreamRunRecord): Promise<void>
  /** Runs of all projects that have not ended. */
  listOpen(): Promise<StreamRunRecord[]>
  /** Sets the end of every open run of the session to `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, request: ListRequest): Promise<ListPage<StreamRunRecord>>
}

export interface RevokedRoomTokenRepository {
  /** @returns true if the token is new. False if it is already revoked; the stored row then stays as it is */
  insert(token: RevokedRoomTokenRecord): Promise<boolean>
  /** Returns the revoked tokens among these ids, of all projects. */
  findAmong(ids: readonly string[]): Promise<RevokedRoomTokenRecord[]>
  /** Deletes tokens of all projects that expired before the first time and were revoked before the second. */
  deleteExpired(expiredBefore: number, revokedBefore: number): Promise<void>
}

/** A room or conference that was found by its name or title. */
export interface FoundByName {
  id: string
  room: RoomRecord
  /** The name or title by which it was found, in small letters. It orders the list. */
  key: string
  /** False if the room is in the list before, by its other text. */
  isFirst: boolean
}

/** Finds rooms and conferences by how their name or title begins. Every call takes one step within an index. */
export interface RoomSearchRepository {
  /**
   * Those whose name or title begins so, in the order of the alphabet. Small and capital letters from A to Z count as the
   * same.
   */
  list(
    projectId: string,
    filter: { kind: 'room' | 'conference'; by: 'name' | 'title'; beginning: string },
    request: ListRequest,
  ): Promise<ListPage<FoundByName>>
}
