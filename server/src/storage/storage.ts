import type { ListOrder } from './list-order.ts'
import type {
  ApiTokenRecord,
  AuditRecord,
  CallRecord,
  ChatMessageRecord,
  ClientSubscriptionRecord,
  ConferenceTokenRecord,
  EventRecord,
  KeptAnswerRecord,
  MemberQualityRecord,
  MemberRecord,
  ProjectRecord,
  RecordingRecord,
  RecordingShareRecord,
  RevokedRoomTokenRecord,
  RoomRecord,
  SessionRecord,
  SignInRecord,
  StreamRecord,
  StreamRunRecord,
  SubscriberRecord,
  UserInvitationRecord,
  UserRecord,
  UserSessionRecord,
} from './records.ts'

/** A place in a list, between two rows. Lists use keyset pagination, never an offset. */
export interface ListCursor {
  /** What orders the list, of the row next to the place: `created_at` (members: `join_time`), or its name. */
  at: number | string
  /** `id` of that row. It orders rows that are equal otherwise. */
  id: string
  /** `after` continues the list, `before` goes back. */
  direction: 'after' | 'before'
  /** The page includes the row itself. Default: it does not. */
  inclusive?: boolean | undefined
}

export interface ListRequest {
  limit: number
  cursor?: ListCursor | undefined
  /** Default: the list's usual order. Rooms and subscribers can be listed in any order, other lists only in theirs. */
  order?: ListOrder | undefined
}

/** One page, always in the list's own order. */
export interface ListPage<T> {
  rows: T[]
  hasPrevious: boolean
  hasNext: boolean
}

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
  /** Sessions of all projects that a killed server left in progress. */
  listInterrupted(): Promise<SessionRecord[]>
  /** Records that these sessions were alive at `at`. */
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

/** What recordings are looked for by. Times are Unix milliseconds. */
export interface RecordingFilter {
  sessionId?: string | undefined
  /** Exact name of the room. */
  roomName?: string | undefined
  status?: RecordingRecord['status'] | undefined
  /** Asked for at that time or later. */
  since?: number | undefined
  /** Asked for before that time. */
  until?: number | undefined
}

export interface RecordingRepository {
  insert(recording: RecordingRecord): Promise<void>
  find(projectId: string, id: string): Promise<RecordingRecord | undefined>
  update(projectId: string, id: string, changes: Partial<RecordingRecord>): Promise<void>
  delete(projectId: string, id: string): Promise<boolean>
  list(projectId: string, filter: RecordingFilter, request: ListRequest): Promise<ListPage<RecordingRecord>>
  /** Recordings of all projects that are not completed. */
  listInterrupted(): Promise<RecordingRecord[]>
}

export interface MemberQualityRepository {
  /** Inserts a member's row, or replaces its intervals. */
  save(record: MemberQualityRecord): Promise<void>
  /** The members of a session, in the order of their first interval. */
  list(projectId: string, sessionId: string, limit: number): Promise<MemberQualityRecord[]>
}

export interface RecordingShareRepository {
  insert(share: RecordingShareRecord): Promise<void>
  /** Oldest first. */
  list(projectId: string, recordingId: string): Promise<RecordingShareRecord[]>
  /** Searches all projects: the hash tells which recording it is about. */
  findByHash(hash: string): Promise<RecordingShareRecord | undefined>
  delete(projectId: string, recordingId: string, id: string): Promise<boolean>
  /** Deletes those of all projects that expired before that time. */
  deleteExpired(before: number): Promise<void>
}

/** Paths below the recordings folder whose recordings were deleted. A path is here until its file is gone. */
export interface RemovedFileRepository {
  /** Call it in the transaction that deletes the recording. */
  insert(files: readonly string[], at: number): Promise<void>
  list(limit: number): Promise<string[]>
  delete(files: readonly string[]): Promise<void>
}

/** Reads how long recordings are kept, and which are older. Days are whole numbers; 0 of a room means for ever. */
export interface RetentionRepository {
  /** For each project with a rule, of its own or of a room, the shortest number of days. */
  shortest(): Promise<Map<string, number>>
  /** The rules of those of these rooms that have one, keyed by room id. */
  ofRooms(projectId: string, roomIds: readonly string[]): Promise<Map<string, number>>
  /**
   * Recordings that were finished before that time, oldest first.
   * @param after the last one of the page before
   */
  finishedBefore(
    projectId: string,
    before: number,
    after: { at: number; id: string } | null,
    limit: number,
  ): Promise<RecordingRecord[]>
  /** How many those are: of a room, or with null of all rooms without a rule of their own. */
  countFinishedBefore(
    projectId: string,
    before: number,
    roomId: string | null,
  ): Promise<{ count: number; bytes: number }>
}

export interface EmbedOriginRepository {
  /** Sorted by origin. */
  list(projectId: string): Promise<string[]>
  /** Replaces all origins of a project. Call it in a transaction. */
  replace(projectId: string, origins: readonly string[]): Promise<void>
  /** Whether one of these origins is listed: by this project, or with null by any. */
  isListed(projectId: string | null, origins: readonly string[]): Promise<boolean>
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

/** A project to insert. By default it is in no space and opens all rooms to its subscribers. */
type NewProject = Pick<ProjectRecord, 'id' | 'name' | 'created_at'> & Partial<ProjectRecord>

export interface ProjectRepository {
  /** @throws UniqueViolation when there is a project with that id */
  insert(project: NewProject): Promise<void>
  find(id: string): Promise<ProjectRecord | undefined>
  update(id: string, changes: Partial<ProjectRecord>): Promise<ProjectRecord | undefined>
  /** Oldest first. */
  list(): Promise<ProjectRecord[]>
  /** Deletes everything in a project, as {@link ProjectRepository.delete} does, but keeps the project itself. */
  empty(id: string): Promise<void>
  /**
   * Deletes a project and every row of it. It deletes in portions, so that other writes are not blocked for long. If
   * it is interrupted, the project still exists, with fewer rows.
   */
  delete(id: string): Promise<boolean>
}

export interface ApiTokenRepository {
  insert(token: ApiTokenRecord): Promise<void>
  /** Oldest first. */
  list(projectId: string): Promise<ApiTokenRecord[]>
  /**
   * A number that changes whenever any process may have changed tokens. Undefined if the database cannot tell without
   * a wait.
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
   * Replaces the unused refresh token, if `usedTokenId` is that token.
   * @returns whether it was. If several callers ask at the same time, exactly one gets true.
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
   * @param expiredBefore only sign-ins that expired before that time
   * @returns the number of deleted sign-ins
   */
  deleteOfSubscriber(projectId: string, subscriberId: string, expiredBefore?: number): Promise<number>
  /** Number of unexpired sign-ins of each of these subscribers. Subscribers without any are absent. */
  count(projectId: string, subscriberIds: readonly string[], now: number): Promise<Map<string, number>>
}

export interface UserRepository {
  /** @throws UniqueViolation when the project has a user of that name or identity */
  insert(user: UserRecord): Promise<void>
  find(projectId: string, id: string): Promise<UserRecord | undefined>
  /** Searches all projects, oldest first: who signs in need not name the project. */
  findByName(nameKey: string, limit: number): Promise<UserRecord[]>
  findByIdentity(projectId: string, identity: string): Promise<UserRecord | undefined>
  /** Oldest first. */
  list(projectId: string, limit: number): Promise<UserRecord[]>
  count(projectId: string): Promise<number>
  /** Like `list`, for the owners alone. Inside a transaction it locks their rows until the end. */
  holdOwners(projectId: string): Promise<UserRecord[]>
  update(projectId: string, id: string, changes: Partial<UserRecord>): Promise<UserRecord | undefined>
  /** Deletes a user with its sessions and invitations. */
  delete(projectId: string, id: string): Promise<boolean>
}

export interface UserSessionRepository {
  insert(session: UserSessionRecord): Promise<void>
  /** Searches all projects: the hash tells which user the session belongs to. */
  findByHash(hash: string): Promise<{ session: UserSessionRecord; user: UserRecord } | undefined>
  /** Most recently used first. */
  listOfUser(projectId: string, userId: string): Promise<UserSessionRecord[]>
  touch(projectId: string, id: string, at: number): Promise<void>
  delete(projectId: string, userId: string, id: string): Promise<boolean>
  /** @param except id of a session that stays */
  deleteOfUser(projectId: string, userId: string, except?: string): Promise<void>
  /** Deletes sessions of all projects that are over. */
  deleteOver(usedBefore: number, now: number): Promise<void>
}

export interface UserInvitationRepository {
  insert(invitation: UserInvitationRecord): Promise<void>
  /** Searches all projects: the hash tells which one the invitation belongs to. */
  findByHash(hash: string): Promise<UserInvitationRecord | undefined>
  /** @returns whether it was there. If several callers ask at the same time, exactly one gets true. */
  delete(projectId: string, id: string): Promise<boolean>
  /** Deletes the invitations of a user; with null those of an owner who has no name yet. */
  deleteOfUser(projectId: string, userId: string | null): Promise<void>
}

export interface KeptAnswerRepository {
  /** Stores an answer. It replaces an older answer to the same key. */
  put(answer: KeptAnswerRecord): Promise<void>
  find(projectId: string, key: string): Promise<KeptAnswerRecord | undefined>
  /** Deletes the answers of all projects that were stored before that time. */
  deleteBefore(time: number): Promise<void>
}

export interface ClientSubscriptionRepository {
  /** Stores the subscriptions of a client. They replace the earlier ones. */
  put(record: ClientSubscriptionRecord): Promise<void>
  find(projectId: string, id: string): Promise<ClientSubscriptionRecord | undefined>
  delete(projectId: string, id: string): Promise<void>
  /** Deletes the subscriptions of clients of all projects that were stored before that time. */
  deleteBefore(time: number): Promise<void>
}

export interface RevokedRoomTokenRepository {
  /** @returns true if the token is new. False if it is already revoked; the stored row then stays as it is */
  insert(token: RevokedRoomTokenRecord): Promise<boolean>
  /** Returns the revoked tokens among these ids, of all projects. */
  findAmong(ids: readonly string[]): Promise<RevokedRoomTokenRecord[]>
  /** Deletes tokens of all projects that expired before the first time and were revoked before the second. */
  deleteExpired(expiredBefore: number, revokedBefore: number): Promise<void>
}

export interface HeartbeatRepository {
  /** Writes one row, always the same one. It proves that the database accepts writes. */
  beat(at: number): Promise<void>
}

/** Filter of the audit log. Times are Unix milliseconds. */
export interface AuditFilter {
  projectId?: string | undefined
  /** The entry was written at that time or later. */
  since?: number | undefined
  /** The entry was written at that time or earlier. */
  until?: number | undefined
}

export interface AuditRepository {
  append(entry: AuditRecord): Promise<void>
  /** The newest `limit` entries, newest first. Includes all projects, unless the filter names one. */
  list(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
  /** One page of the entries of a project, newest first. */
  listOfProject(projectId: string, request: ListRequest): Promise<ListPage<AuditRecord>>
}

/**
 * Spans of time that began in one hour and ended in another, or in the same. Hours are counted from 1970, in UTC. All
 * times are milliseconds.
 */
export interface Spans {
  firstHour: number
  lastHour: number
  /** Number of the spans. */
  count: number
  /** Sum of their beginnings, each from the begin of its hour. */
  starts: number
  /** Sum of their ends, likewise. */
  ends: number
}

/** Spans in rooms of one quality. */
export type MemberSpans = Spans & { quality: SessionRecord['quality'] }
/** Spans of recordings with the sum of their media, which is less when they were paused. */
export type RecordingSpans = Spans & { mediaMs: number }

/** Reads sums for statistics, by indexes alone. `from` and `until` are Unix milliseconds; `until` is excluded. */
export interface UsageRepository {
  /** Time in rooms of those who left in that time. Screen shares and devices are not counted. */
  ofMembers(projectId: string, from: number, until: number): Promise<MemberSpans[]>
  /** Recordings that were finished in that time. */
  ofRecordings(projectId: string, from: number, until: number): Promise<RecordingSpans[]>
  /** Runs of streams that ended in that time. */
  ofStreams(projectId: string, from: number, until: number): Promise<Spans[]>
  /** Number and size of all recordings of the project. */
  recordingsKept(projectId: string): Promise<{ count: number; bytes: number }>
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

/** Everything that survives a restart. When a write resolves, its data is on disk. */
export interface Storage {
  projects: ProjectRepository
  apiTokens: ApiTokenRepository
  rooms: RoomRepository
  conferenceTokens: ConferenceTokenRepository
  streams: StreamRepository
  streamRuns: StreamRunRepository
  sessions: SessionRepository
  members: MemberRepository
  memberQuality: MemberQualityRepository
  calls: CallRepository
  chatMessages: ChatMessageRepository
  clientSubscriptions: ClientSubscriptionRepository
  recordings: RecordingRepository
  recordingShares: RecordingShareRepository
  removedFiles: RemovedFileRepository
  retention: RetentionRepository
  embedOrigins: EmbedOriginRepository
  events: EventRepository
  keptAnswers: KeptAnswerRepository
  revokedRoomTokens: RevokedRoomTokenRepository
  subscribers: SubscriberRepository
  signIns: SignInRepository
  users: UserRepository
  userSessions: UserSessionRepository
  userInvitations: UserInvitationRepository
  heartbeats: HeartbeatRepository
  audit: AuditRepository
  usage: UsageRepository
  sessionSearch: SessionSearchRepository
  roomSearch: RoomSearchRepository
  /**
   * Runs `work` in one database transaction: all of its writes apply, or none. Do not use the outer repositories
   * inside.
   */
  transaction<T>(work: (tx: Omit<Storage, 'transaction' | 'close'>) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A row with the same unique key already exists. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
}
