import type {
  ApiTokenRecord,
  AuditRecord,
  CallRecord,
  ChatMessageRecord,
  ConferenceTokenRecord,
  EventRecord,
  KeptAnswerRecord,
  MemberRecord,
  ProjectRecord,
  RecordingRecord,
  RevokedRoomTokenRecord,
  RoomRecord,
  SessionRecord,
  SignInRecord,
  StreamRecord,
  StreamRunRecord,
  SubscriberRecord,
} from './records.ts'

/** Which way a list runs: rooms, sessions and recordings newest first, events and members oldest first. */
export type ListOrder = 'newest-first' | 'oldest-first'

/** A place in a list, between two rows: lists are walked by key, never by offset. */
export interface ListCursor {
  /** `created_at` (members: `join_time`) and `id` of the row next to the place. */
  at: number
  id: string
  /** `after` continues the list, `before` goes back. */
  direction: 'after' | 'before'
  /** The row itself belongs to the page. Not unless set. */
  inclusive?: boolean | undefined
}

export interface ListRequest {
  limit: number
  cursor?: ListCursor | undefined
}

/** One page, always in the list's own order. */
export interface ListPage<T> {
  rows: T[]
  hasPrevious: boolean
  hasNext: boolean
}

/**
 * Rooms and conferences, which share their names. Every query takes the project's id; a row of another project does not
 * exist for it.
 */
export interface RoomRepository {
  /** @throws UniqueViolation when the project has a room or conference of that name */
  insert(room: RoomRecord): Promise<void>
  find(projectId: string, id: string): Promise<RoomRecord | undefined>
  /**
   * The same, in a transaction: until that ends, nobody else changes or deletes the room, or holds it.
   */
  hold(projectId: string, id: string): Promise<RoomRecord | undefined>
  findByName(projectId: string, name: string): Promise<RoomRecord | undefined>
  update(projectId: string, id: string, changes: Partial<RoomRecord>): Promise<RoomRecord | undefined>
  /** Deletes a room with its conference tokens and streams; sessions stay. */
  delete(projectId: string, id: string): Promise<boolean>
  list(
    projectId: string,
    filter: {
      /** Rooms unless told otherwise. */
      kind?: 'room' | 'conference' | undefined
      /** Only these names, where a `*` at the end stands for all that begin so. */
      names?: readonly string[] | undefined
      startsAfter?: number | undefined
      endsBefore?: number | undefined
    },
    request: ListRequest,
  ): Promise<ListPage<RoomRecord>>
}

export interface ConferenceTokenRepository {
  insert(token: ConferenceTokenRecord): Promise<void>
  find(projectId: string, id: string): Promise<ConferenceTokenRecord | undefined>
  /** Across projects: whose token this is. */
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
  /** Those of the ids that are streams. */
  findIds(projectId: string, ids: readonly string[]): Promise<Set<string>>
  update(projectId: string, id: string, changes: Partial<StreamRecord>): Promise<StreamRecord | undefined>
  delete(projectId: string, id: string): Promise<boolean>
  /** All streams of a room or conference, newest first: they are few. */
  listOfRoom(projectId: string, roomId: string): Promise<StreamRecord[]>
  /** The same, page by page. */
  list(projectId: string, roomId: string, request: ListRequest): Promise<ListPage<StreamRecord>>
}

export interface StreamRunRepository {
  insert(run: StreamRunRecord): Promise<void>
  find(projectId: string, id: string): Promise<StreamRunRecord | undefined>
  update(projectId: string, id: string, changes: Partial<StreamRunRecord>): Promise<void>
  /** The run goes on, whether storage had it as over or not at all. */
  reopen(run: StreamRunRecord): Promise<void>
  /** Across projects: runs that are not over. */
  listOpen(): Promise<StreamRunRecord[]>
  /** Every run of the session that is not over has ended at `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, request: ListRequest): Promise<ListPage<StreamRunRecord>>
}

export interface SessionRepository {
  insert(session: SessionRecord): Promise<void>
  find(projectId: string, id: string): Promise<SessionRecord | undefined>
  /** These sessions, by id. */
  findAll(projectId: string, ids: readonly string[]): Promise<Map<string, SessionRecord>>
  /** The session in progress of that room name; there is at most one. */
  findActiveByName(projectId: string, name: string): Promise<SessionRecord | undefined>
  /** Sessions in progress of these rooms, by room id. */
  findActiveByRooms(projectId: string, roomIds: readonly string[]): Promise<Map<string, SessionRecord>>
  update(projectId: string, id: string, changes: Partial<SessionRecord>): Promise<void>
  list(
    projectId: string,
    filter: {
      roomId?: string | undefined
      roomName?: string | undefined
      roomNameMatches?: string | undefined
      status?: SessionRecord['status'] | undefined
    },
    request: ListRequest,
  ): Promise<ListPage<SessionRecord>>
  /** Across projects: what a killed server left behind. */
  listInterrupted(): Promise<SessionRecord[]>
  /** Marks these sessions as alive now. */
  touch(ids: readonly string[], at: number): Promise<void>
}

export interface MemberRepository {
  insert(member: MemberRecord): Promise<void>
  update(projectId: string, id: string, changes: Partial<MemberRecord>): Promise<void>
  /** The member is still there, whether storage had it as gone or not at all. */
  reopen(member: MemberRecord): Promise<void>
  /** Across projects: members that have not left. */
  listOpen(): Promise<MemberRecord[]>
  /** Every member that is still in the session has left at `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, sessionId: string, request: ListRequest): Promise<ListPage<MemberRecord>>
  /**
   * How long all members and audience of each session were in it together, in milliseconds, by session id. Who is still
   * in counts up to `now`; screen shares and extra devices do not count. Sessions without members are absent.
   */
  totalTimes(projectId: string, sessionIds: readonly string[], now: number): Promise<Map<string, number>>
}

/** What a list of calls is narrowed to; times are Unix milliseconds. */
export interface CallFilter {
  status?: CallRecord['status'] | undefined
  from?: string | undefined
  to?: string | undefined
  parentId?: string | undefined
  /** Began at that time or later. */
  startedFrom?: number | undefined
  /** Began before that time. */
  startedBefore?: number | undefined
  /** Ended at that time or later. */
  endedFrom?: number | undefined
  /** Ended before that time. */
  endedBefore?: number | undefined
}

export interface CallRepository {
  insert(call: CallRecord): Promise<void>
  find(projectId: string, id: string): Promise<CallRecord | undefined>
  /** The call goes on, whether storage had it as over or not at all. */
  reopen(call: CallRecord): Promise<void>
  /** Across projects: calls that are not over. */
  listOpen(): Promise<CallRecord[]>
  /** The call has ended at `at`, unless it had before. */
  end(projectId: string, id: string, at: number): Promise<void>
  /** Every call of the session that is not over has ended at `at`. */
  closeAll(projectId: string, sessionId: string, at: number): Promise<void>
  list(projectId: string, filter: CallFilter, request: ListRequest): Promise<ListPage<CallRecord>>
}

export interface ChatMessageRepository {
  insert(message: ChatMessageRecord): Promise<void>
  /** Newest first. */
  listOfChannel(
    projectId: string,
    channel: string,
    request: ListRequest,
  ): Promise<ListPage<ChatMessageRecord>>
  findOfConferences(projectId: string, id: string): Promise<ChatMessageRecord | undefined>
  /** The messages of all conferences, newest first. */
  listOfConferences(projectId: string, request: ListRequest): Promise<ListPage<ChatMessageRecord>>
}

export interface RecordingRepository {
  insert(recording: RecordingRecord): Promise<void>
  find(projectId: string, id: string): Promise<RecordingRecord | undefined>
  update(projectId: string, id: string, changes: Partial<RecordingRecord>): Promise<void>
  delete(projectId: string, id: string): Promise<boolean>
  list(
    projectId: string,
    filter: { sessionId?: string | undefined },
    request: ListRequest,
  ): Promise<ListPage<RecordingRecord>>
  /** Across projects: recordings that are not completed. */
  listInterrupted(): Promise<RecordingRecord[]>
}

export interface EventRepository {
  append(event: EventRecord): Promise<void>
  list(
    projectId: string,
    filter: { sessionId: string } | { recordingId: string },
    request: ListRequest,
  ): Promise<ListPage<EventRecord>>
}

/** A project in no space, and with all rooms open to its subscribers, unless it says otherwise. */
type NewProject = Pick<ProjectRecord, 'id' | 'name' | 'created_at'> & Partial<ProjectRecord>

export interface ProjectRepository {
  /** @throws UniqueViolation when there is a project with that id */
  insert(project: NewProject): Promise<void>
  find(id: string): Promise<ProjectRecord | undefined>
  update(id: string, changes: Partial<ProjectRecord>): Promise<ProjectRecord | undefined>
  /** Oldest first. */
  list(): Promise<ProjectRecord[]>
  /** Deletes all that is in a project, as {@link ProjectRepository.delete} does, and leaves the project itself. */
  empty(id: string): Promise<void>
  /**
   * Deletes a project and every row of it. They go in portions, since others want to write meanwhile: after an
   * interruption the project is there, with less in it.
   */
  delete(id: string): Promise<boolean>
}

export interface ApiTokenRepository {
  insert(token: ApiTokenRecord): Promise<void>
  /** Oldest first. */
  list(projectId: string): Promise<ApiTokenRecord[]>
  /**
   * Another number whenever tokens may have changed, by whatever process; undefined where the database cannot tell
   * without being waited for.
   */
  version(): number | undefined
  update(projectId: string, id: string, changes: Partial<ApiTokenRecord>): Promise<ApiTokenRecord | undefined>
  delete(projectId: string, id: string): Promise<boolean>
}

export interface SubscriberRepository {
  /** @throws UniqueViolation when the project has a subscriber of that reference */
  insert(subscriber: SubscriberRecord): Promise<void>
  find(projectId: string, id: string): Promise<SubscriberRecord | undefined>
  findByReference(projectId: string, reference: string): Promise<SubscriberRecord | undefined>
  list(projectId: string, request: ListRequest): Promise<ListPage<SubscriberRecord>>
}

export interface SignInRepository {
  insert(signIn: SignInRecord): Promise<void>
  find(projectId: string, id: string): Promise<SignInRecord | undefined>
  /**
   * Puts another refresh token in the place of that one, if that is the one which has not been used.
   * @returns whether it was; of several who ask at the same time, one gets true
   */
  rotate(
    projectId: string,
    id: string,
    usedTokenId: string,
    changes: Pick<SignInRecord, 'refresh_token_id' | 'expires_at'>,
  ): Promise<boolean>
  delete(projectId: string, id: string): Promise<boolean>
  /**
   * Deletes the sign-ins of a subscriber.
   * @param expiredBefore only those that expired before that time
   * @returns how many they were
   */
  deleteOfSubscriber(projectId: string, subscriberId: string, expiredBefore?: number): Promise<number>
  /** How many sign-ins each of these subscribers has that have not expired; those without any are absent. */
  count(projectId: string, subscriberIds: readonly string[], now: number): Promise<Map<string, number>>
}

export interface KeptAnswerRepository {
  /** Keeps an answer, in place of an older one to the same key. */
  put(answer: KeptAnswerRecord): Promise<void>
  find(projectId: string, key: string): Promise<KeptAnswerRecord | undefined>
  /** Across projects: forgets answers made before that time. */
  deleteBefore(time: number): Promise<void>
}

export interface RevokedRoomTokenRepository {
  /** @returns whether it is new; false where the token is revoked already, which then stays as it is */
  insert(token: RevokedRoomTokenRecord): Promise<boolean>
  /** Across projects: those of these token ids that are revoked. */
  findAmong(ids: readonly string[]): Promise<RevokedRoomTokenRecord[]>
  /** Across projects: forgets tokens that expired before the first time and were revoked before the second. */
  deleteExpired(expiredBefore: number, revokedBefore: number): Promise<void>
}

export interface HeartbeatRepository {
  /** Writes one row, the same each time: it shows that the database takes writes. */
  beat(at: number): Promise<void>
}

/** What an audit log is narrowed to; times are Unix milliseconds. */
export interface AuditFilter {
  projectId?: string | undefined
  /** Written at that time or later. */
  since?: number | undefined
  /** Written at that time or earlier. */
  until?: number | undefined
}

export interface AuditRepository {
  append(entry: AuditRecord): Promise<void>
  /** Across projects unless narrowed to one. Newest first, the newest `limit` entries. */
  list(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
}

/** Everything that outlives the process. A write that resolved is on disk. */
export interface Storage {
  projects: ProjectRepository
  apiTokens: ApiTokenRepository
  rooms: RoomRepository
  conferenceTokens: ConferenceTokenRepository
  streams: StreamRepository
  streamRuns: StreamRunRepository
  sessions: SessionRepository
  members: MemberRepository
  calls: CallRepository
  chatMessages: ChatMessageRepository
  recordings: RecordingRepository
  events: EventRepository
  keptAnswers: KeptAnswerRepository
  revokedRoomTokens: RevokedRoomTokenRepository
  subscribers: SubscriberRepository
  signIns: SignInRepository
  heartbeats: HeartbeatRepository
  audit: AuditRepository
  /** All or nothing. Do not use the outer repositories inside. */
  transaction<T>(work: (tx: Omit<Storage, 'transaction' | 'close'>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A row with the same unique key is there already. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
}
