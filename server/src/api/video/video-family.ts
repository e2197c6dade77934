import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useIdempotency } from '../conventions/idempotency.ts'
import { useConferenceTokens } from '../conventions/invitations.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { useStrangers } from '../conventions/strangers.ts'
import { conferenceLookOperations } from './conference-looks.ts'
import { conferenceTokenOperations } from './conference-tokens.ts'
import { conferenceOperations } from './conferences.ts'
import { embeddingOperations } from './embedding.ts'
import { invitationOperations } from './invitation.ts'
import { recordingQuotaOperations } from './recording-quota.ts'
import { recordingRetentionOperations } from './recording-retention.ts'
import { recordingShareOperations } from './recording-shares.ts'
import { roomRecordingOperations } from './room-recordings.ts'
import { roomSessionOperations } from './room-sessions.ts'
import { roomTokenOperations } from './room-tokens.ts'
import { roomOperations } from './rooms.ts'
import { streamOperations } from './streams.ts'
import { videoLogOperations } from './video-logs.ts'
import { webhookDeliveryOperations } from './webhook-deliveries.ts'
import { webhookOperations } from './webhooks.ts'

/** `/api/video`: rooms and conferences, and everything that happens in them. A scope of the application for each kind of credentials. */
export const videoFamily: Family = async (app, options) => {
  useNoStore(app)
  await app.register(async (scope) => {
    useBasicAuthentication(scope, options, 'video')
    useIdempotency(scope, options.services.keptAnswers)
    useOperations(scope, options, [
      ...roomOperations,
      ...roomTokenOperations,
      ...roomSessionOperations,
      ...roomRecordingOperations,
      ...recordingRetentionOperations,
      ...recordingQuotaOperations,
      ...recordingShareOperations,
      ...conferenceOperations,
      ...conferenceTokenOperations,
      ...embeddingOperations,
      ...streamOperations,
      ...webhookOperations,
      ...webhookDeliveryOperations,
      ...videoLogOperations,
    ])
  })
  await app.register(async (scope) => {
    useConferenceTokens(scope, options)
    useOperations(scope, options, invitationOperations)
  })
  await app.register(async (scope) => {
    useStrangers(scope, options)
    useOperations(scope, options, conferenceLookOperations)
  })
}
