import type { Kysely } from 'kysely'
import type { Stored } from './columns.ts'
import type {
  ApiTokenRecord,
  AuditRecord,
  CallRecord,
  ChatMessageRecord,
  ClientSubscriptionRecord,
  ConferenceTokenRecord,
  EmbedOriginRecord,
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
  WebhookDeliveryRecord,
  WebhookRecord,
  WebhookStreamRecord,
} from './records.ts'

/** The tables after the newest migration. */
export interface Tables {
  projects: Stored<ProjectRecord>
  api_tokens: Stored<ApiTokenRecord>
  rooms: Stored<RoomRecord>
  room_sessions: Stored<SessionRecord>
  room_members: Stored<MemberRecord>
  member_quality: Stored<MemberQualityRecord>
  calls: Stored<CallRecord>
  chat_messages: Stored<ChatMessageRecord>
  client_subscriptions: Stored<ClientSubscriptionRecord>
  room_recordings: Stored<RecordingRecord>
  recording_shares: Stored<RecordingShareRecord>
  removed_files: { file: string; node: string | null; created_at: number }
  conference_tokens: Stored<ConferenceTokenRecord>
  embed_origins: Stored<EmbedOriginRecord>
  streams: Stored<StreamRecord>
  stream_runs: Stored<StreamRunRecord>
  events: Stored<EventRecord>
  kept_answers: Stored<KeptAnswerRecord>
  running_requests: { project_id: string; idempotency_key: string; holder: string; expires_at: number }
  shared_facts: { name: string; value: string }
  revoked_room_tokens: Stored<RevokedRoomTokenRecord>
  subscribers: Stored<SubscriberRecord>
  subscriber_sign_ins: Stored<SignInRecord>
  users: Stored<UserRecord>
  user_sessions: Stored<UserSessionRecord>
  user_invitations: Stored<UserInvitationRecord>
  heartbeats: { id: string; beat_at: number }
  audit_entries: Stored<AuditRecord>
  webhooks: Stored<WebhookRecord>
  webhook_streams: Stored<WebhookStreamRecord>
  webhook_deliveries: Stored<WebhookDeliveryRecord>
}

/** A database, or a transaction on it. */
export type Database = Kysely<Tables>
