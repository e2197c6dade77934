import type { ChatMessageRepository, ClientSubscriptionRepository } from './interfaces/chat.ts'
import type {
  SignInRepository,
  SubscriberRepository,
  UserInvitationRepository,
  UserRepository,
  UserSessionRepository,
} from './interfaces/people.ts'
import type {
  ApiTokenRepository,
  AuditRepository,
  EmbedOriginRepository,
  KeptAnswerRepository,
  ProjectRepository,
  RunningRequestRepository,
  SharedFactRepository,
} from './interfaces/projects.ts'
import type {
  RecordingRepository,
  RecordingShareRepository,
  RemovedFileRepository,
  RetentionRepository,
} from './interfaces/recordings.ts'
import type {
  ConferenceTokenRepository,
  RevokedRoomTokenRepository,
  RoomRepository,
  RoomSearchRepository,
  StreamRepository,
  StreamRunRepository,
} from './interfaces/rooms.ts'
import type {
  CallRepository,
  EventRepository,
  MemberQualityRepository,
  MemberRepository,
  SessionRepository,
  SessionSearchRepository,
} from './interfaces/sessions.ts'
import type { UsageRepository } from './interfaces/usage.ts'
import type {
  WebhookDeliveryRepository,
  WebhookOutboxRepository,
  WebhookRepository,
} from './interfaces/webhooks.ts'

export interface HeartbeatRepository {
  /** Writes one row, always the same one. It proves that the database accepts writes. */
  beat(at: number): Promise<void>
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
  runningRequests: RunningRequestRepository
  sharedFacts: SharedFactRepository
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
  webhooks: WebhookRepository
  webhookOutbox: WebhookOutboxRepository
  webhookDeliveries: WebhookDeliveryRepository
  /**
   * Calls `listener` whenever this process has written events.
   * @returns ends that
   */
  onEvents(listener: () => void): () => void
  /**
   * Runs `work` in one database transaction: all of its writes apply, or none. Do not use the outer repositories
   * inside.
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What a transaction can do. */
export type Repositories = Omit<Storage, 'transaction' | 'onEvents' | 'close'>

/** A row with the same unique key already exists. */
export class UniqueViolation extends Error {
  override readonly name = 'UniqueViolation'
}
