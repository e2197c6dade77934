import type { Migration } from 'kysely/migration'
import * as rooms from './0001-rooms.ts'
import * as conferences from './0002-conferences.ts'
import * as keptAnswers from './0003-kept-answers.ts'
import * as subscribers from './0004-subscribers.ts'
import * as calls from './0005-calls.ts'
import * as chatMessages from './0006-chat-messages.ts'
import * as indexesOfReferences from './0007-indexes-of-references.ts'
import * as spaces from './0008-spaces.ts'
import * as auditLog from './0009-audit-log.ts'
import * as signIns from './0010-sign-ins.ts'
import * as revokedRoomTokens from './0011-revoked-room-tokens.ts'
import * as openRows from './0013-open-rows.ts'
import * as clientSubscriptions from './0019-client-subscriptions.ts'
import * as nameLabels from './0020-name-labels.ts'
import * as users from './0021-users.ts'
import * as dashboard from './0022-dashboard.ts'
import * as embedOrigins from './0023-embed-origins.ts'
import * as sessionSearch from './0024-session-search.ts'
import * as waitingRoom from './0025-waiting-room.ts'
import * as recordings from './0026-recordings.ts'
import * as memberQuality from './0027-member-quality.ts'
import * as streamsByTime from './0028-streams-by-time.ts'
import * as roomSearch from './0030-room-search.ts'
import * as sessionOwners from './0031-session-owners.ts'
import * as storedRecordings from './0032-stored-recordings.ts'
import * as severalServers from './0033-several-servers.ts'
import * as webhooks from './0034-webhooks.ts'
import * as hls from './0035-hls.ts'
import * as recordingQuotas from './0036-recording-quotas.ts'
import * as removedFilesOfNodes from './0037-removed-files-of-nodes.ts'

/**
 * All steps of the schema, by number. There are only forward steps. A released step never changes; a later step
 * corrects its mistakes.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-rooms': rooms,
  '0002-conferences': conferences,
  '0003-kept-answers': keptAnswers,
  '0004-subscribers': subscribers,
  '0005-calls': calls,
  '0006-chat-messages': chatMessages,
  '0007-indexes-of-references': indexesOfReferences,
  '0008-spaces': spaces,
  '0009-audit-log': auditLog,
  '0010-sign-ins': signIns,
  '0011-revoked-room-tokens': revokedRoomTokens,
  '0013-open-rows': openRows,
  '0019-client-subscriptions': clientSubscriptions,
  '0020-name-labels': nameLabels,
  '0021-users': users,
  '0022-dashboard': dashboard,
  '0023-embed-origins': embedOrigins,
  '0024-session-search': sessionSearch,
  '0025-waiting-room': waitingRoom,
  '0026-recordings': recordings,
  '0027-member-quality': memberQuality,
  '0028-streams-by-time': streamsByTime,
  '0030-room-search': roomSearch,
  '0031-session-owners': sessionOwners,
  '0032-stored-recordings': storedRecordings,
  '0033-several-servers': severalServers,
  '0034-webhooks': webhooks,
  '0035-hls': hls,
  '0036-recording-quotas': recordingQuotas,
  '0037-removed-files-of-nodes': removedFilesOfNodes,
}
