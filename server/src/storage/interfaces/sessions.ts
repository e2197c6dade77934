import type { ListPage, ListRequest } from '../list-page.ts'
import type { CallRecord, EventRecord, MemberQualityRecord, MemberRecord, SessionRecord } from '../records.ts'

export interface SessionRepository {
  insert(session: SessionRecord): Promise<void>
  find(projectId: string, id: string): Promise<SessionRecord | undefined>
  /** Returns those of these sessions that exist, keyed by id. */
  findAll(projectId: string, ids: readonly string[]): Promise<Map<string, SessionRecord>>
  /** The session in progress of the room with that name. There is at most one. */
  findActiveByName(projectId: string, name: string): Promise<SessionRecord | undefined>
  /** The sessions in progress of these rooms, keyed by room id. */
  findActiveByRooms(projectId: string, roomIds: readonly string[]): Promise<Map<string, SessionRecord>>
  update(projectId: string, id: string, changes: Partial<SessionRecord>): Promise<void>
  list(
    projectId: string,
    filter: {
      roomId?: string | undefined
      roomName?: string | undefined
      roomNameMatches?: string | undefined
      status?: SessionRecord['status'] | undefined
      /** Stored at that time or later, in Unix milliseconds. */
      since?: number | undefined
      /** Stored before that time. */
      until?: number | undefined
    },
    request: ListRequest,
  ): Promise<ListPage<SessionRecord>>
  /** Sessions of all projects that are in progress. */
  listInProgress(): Promise<SessionRecord[]>
  /** Those of them that were last known to run before `before`, in Unix milliseconds. */
  listSilent(before: number): Promise<SessionRecord[]>
  /** Names of the nodes that run sessions of a project. */
  ownersInProgress(projectId: string): Promise<string[]>
  /**
   * Completes a session that is in progress.
   * @returns false when somebody else has completed it before
   */
  complete(
    projectId: string,
    id: string,
    changes: Pick<SessionRecord, 'end_time' | 'updated_at'> & Partial<Pick<SessionRecord, 'owner_revision'>>,
  ): Promise<boolean>
  /**
   * Checks, in a transaction, that no later owner has written to the session, and keeps others from doing so until
   * the transaction ends.
   * @returns false when a later owner has, or when the session is not stored
   */
  isStillOf(projectId: string, id: string, ownerRevision: number): Promise<boolean>
  /** Which node runs this session, of any project; undefined if it is not in progress. */
  ownerOf(id: string): Promise<{ node: string | null; revision: number | null } | undefined>
  /** Records that these sessions, as far as they are in progress, were alive at `at`. */
  touch(ids: readonly string[], at: number): Promise<void>
}

export interface MemberRepository {
  insert(member: MemberRecord): Promise<void>
  update(projectId: string, id: string, changes: Partial<MemberRecord>): Promise<void>
  /** Stores the member as present, whether storage had it as gone or did not have it. */
  reopen(member: MemberRecord): Promise<void>
  /** Members of all projects that have not left. */
  listOpen(): Promise<MemberRecord[]>
  /** Sets the leave time of every member that is still in the session to `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, sessionId: string, request: ListRequest): Promise<ListPage<MemberRecord>>
  /**
   * Total time that members and audience spent in each session, in milliseconds, keyed by session id. Somebody who is
   * still in the session counts up to `now`. Screen shares and extra devices do not count. Sessions without members
   * are absent.
   */
  totalTimes(projectId: string, sessionIds: readonly string[], now: number): Promise<Map<string, number>>
}

/** Filter of a list of calls. Times are Unix milliseconds. */
export interface CallFilter {
  status?: CallRecord['status'] | undefined
  from?: string | undefined
  to?: string | undefined
  parentId?: string | undefined
  /** The call began at that time or later. */
  startedFrom?: number | undefined
  /** The call began before that time. */
  startedBefore?: number | undefined
  /** The call ended at that time or later. */
  endedFrom?: number | undefined
  /** The call ended before that time. */
  endedBefore?: number | undefined
}

export interface CallRepository {
  insert(call: CallRecord): Promise<void>
  find(projectId: string, id: string): Promise<CallRecord | undefined>
  /** Stores the call as in progress, whether storage had it as ended or did not have it. */
  reopen(call: CallRecord): Promise<void>
  /** Calls of all projects that have not ended. */
  listOpen(): Promise<CallRecord[]>
  /** Sets the end of the call to `at`, unless the call has ended already. */
  end(projectId: string, id: string, at: number): Promise<void>
  /** Sets the end of every open call of the session to `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, filter: CallFilter, request: ListRequest): Promise<ListPage<CallRecord>>
}

export interface MemberQualityRepository {
  /** Inserts a member's row, or replaces its intervals. */
  save(record: MemberQualityRecord): Promise<void>
  /** The members of a session, in the order of their first interval. */
  list(projectId: string, sessionId: string, limit: number): Promise<MemberQualityRecord[]>
}

export interface EventRepository {
  append(event: EventRecord): Promise<void>
  list(
    projectId: string,
    filter: { sessionId: string } | { recordingId: string },
    request: ListRequest,
  ): Promise<ListPage<EventRecord>>
  /** Events of a project that are warnings or errors, newest first. */
  listProblems(projectId: string, request: ListRequest): Promise<ListPage<EventRecord>>
}

/** Finds sessions by names. Every call takes a few steps within an index. */
export interface SessionSearchRepository {
  /** Names of rooms that had sessions and that begin like this, in the order of the alphabet. */
  roomNames(projectId: string, beginning: string, limit: number): Promise<string[]>
  /** Names of people who were in sessions, likewise. Small and capital letters count as the same. */
  personNames(projectId: string, beginning: string, limit: number): Promise<string[]>
  /** When somebody of that name joined, newest first. Times are Unix milliseconds. */
  visits(
    projectId: string,
    filter: { person: string; since?: number | undefined; until?: number | undefined },
    request: ListRequest,
  ): Promise<ListPage<{ id: string; join_time: number; room_session_id: string }>>
  /** How many people and recordings each of these sessions had, keyed by id. */
  counts(
    projectId: string,
    sessionIds: readonly string[],
  ): Promise<Map<string, { people: number; recordings: number }>>
}
