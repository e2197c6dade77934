import { auditRepository } from './audit-repository.ts'
import { callRepository } from './call-repository.ts'
import { chatMessageRepository } from './chat-message-repository.ts'
import { clientSubscriptionRepository } from './client-subscription-repository.ts'
import { conferenceTokenRepository } from './conference-token-repository.ts'
import { embedOriginRepository } from './embed-origin-repository.ts'
import { eventRepository } from './event-repository.ts'
import { heartbeatRepository } from './heartbeat-repository.ts'
import { keptAnswerRepository } from './kept-answer-repository.ts'
import { memberQualityRepository } from './member-quality-repository.ts'
import { memberRepository } from './member-repository.ts'
import { apiTokenRepository, projectRepository } from './project-repository.ts'
import { recordingRepository } from './recording-repository.ts'
import { recordingShareRepository } from './recording-share-repository.ts'
import { removedFileRepository } from './removed-file-repository.ts'
import { retentionRepository } from './retention-repository.ts'
import { revokedRoomTokenRepository } from './revoked-room-token-repository.ts'
import { roomRepository } from './room-repository.ts'
import { roomSearchRepository } from './room-search-repository.ts'
import { runningRequestRepository } from './running-request-repository.ts'
import { sessionRepository } from './session-repository.ts'
import { sessionSearchRepository } from './session-search-repository.ts'
import { sharedFactRepository } from './shared-fact-repository.ts'
import { signInRepository } from './sign-in-repository.ts'
import type { Repositories } from './storage.ts'
import { streamRepository, streamRunRepository } from './stream-repository.ts'
import { subscriberRepository } from './subscriber-repository.ts'
import type { Database } from './tables.ts'
import { usageRepository } from './usage-repository.ts'
import { userInvitationRepository } from './user-invitation-repository.ts'
import { userRepository } from './user-repository.ts'
import { userSessionRepository } from './user-session-repository.ts'
import { webhookDeliveryRepository } from './webhook-delivery-repository.ts'
import { webhookOutboxRepository } from './webhook-outbox-repository.ts'
import { webhookRepository } from './webhook-repository.ts'

/**
 * Every repository, on a database or in a transaction.
 * @param onEvent called when an event was written
 */
export function repositories(db: Database, onEvent: () => void = () => {}): Repositories {
  return {
    projects: projectRepository(db),
    apiTokens: apiTokenRepository(db),
    rooms: roomRepository(db),
    conferenceTokens: conferenceTokenRepository(db),
    streams: streamRepository(db),
    streamRuns: streamRunRepository(db),
    sessions: sessionRepository(db),
    members: memberRepository(db),
    memberQuality: memberQualityRepository(db),
    calls: callRepository(db),
    chatMessages: chatMessageRepository(db),
    clientSubscriptions: clientSubscriptionRepository(db),
    recordings: recordingRepository(db),
    recordingShares: recordingShareRepository(db),
    removedFiles: removedFileRepository(db),
    retention: retentionRepository(db),
    embedOrigins: embedOriginRepository(db),
    events: eventRepository(db, onEvent),
    keptAnswers: keptAnswerRepository(db),
    runningRequests: runningRequestRepository(db),
    sharedFacts: sharedFactRepository(db),
    revokedRoomTokens: revokedRoomTokenRepository(db),
    subscribers: subscriberRepository(db),
    signIns: signInRepository(db),
    users: userRepository(db),
    userSessions: userSessionRepository(db),
    userInvitations: userInvitationRepository(db),
    heartbeats: heartbeatRepository(db),
    audit: auditRepository(db),
    usage: usageRepository(db),
    sessionSearch: sessionSearchRepository(db),
    roomSearch: roomSearchRepository(db),
    webhooks: webhookRepository(db),
    webhookOutbox: webhookOutboxRepository(db),
    webhookDeliveries: webhookDeliveryRepository(db),
  }
}
