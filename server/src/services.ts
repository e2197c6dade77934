import type { Logger } from 'pino'
import { createOpenId } from './accounts/openid.ts'
import { createOwnAccounts } from './accounts/own-account.ts'
import { createPasswordSignIn } from './accounts/password-sign-in.ts'
import { createUserSessions } from './accounts/user-sessions.ts'
import { createUsers } from './accounts/users.ts'
import { SERVER } from './audit/audit.ts'
import { createAuditLog } from './audit/audit-log.ts'
import { Chat } from './chat/chat.ts'
import { createChatTokens } from './chat/chat-tokens.ts'
import { createMessages } from './chat/messages.ts'
import type { Clock } from './clock.ts'
import type { Cluster } from './cluster/cluster.ts'
import { createAssetsElsewhere } from './cluster/pipes/assets-elsewhere.ts'
import type { Config } from './config.ts'
import { clusterLiveRooms } from './dashboard/cluster-live-rooms.ts'
import { createDashboard, type Finding } from './dashboard/dashboard.ts'
import { createLiveRooms } from './dashboard/live-rooms.ts'
import { createNews } from './dashboard/news/news.ts'
import { createRequestLog } from './dashboard/requests/request-log.ts'
import { createRoomActs } from './dashboard/room-acts.ts'
import { createRoomSearch } from './dashboard/room-search.ts'
import { type BackupKeeper, createBackups } from './dashboard/server/backups.ts'
import { createOperatorDesk } from './dashboard/server/operator-desk.ts'
import { createServerLog } from './dashboard/server/server-log.ts'
import { createSessionSearch } from './dashboard/session-search.ts'
import { createStreamOverview } from './dashboard/stream-overview.ts'
import { createAddresses } from './fabric/addresses.ts'
import { createSubscribers } from './fabric/subscribers.ts'
import type { LogTail } from './log-tail/log-tail.ts'
import type { MediaPlane } from './media/media-plane.ts'
import type { FigureSources } from './metrics/figure.ts'
import { createMetrics } from './metrics/metrics.ts'
import { Tallies } from './metrics/tallies.ts'
import type { ObjectStore } from './object-store/object-store.ts'
import { createTargets } from './outgoing/targets.ts'
import { createApiTokens } from './projects/api-tokens.ts'
import { createCredentials } from './projects/credentials.ts'
import { createEmbedOrigins } from './projects/embed-origins.ts'
import { createKeptAnswers } from './projects/kept-answers.ts'
import { createKeptSubscriptions } from './projects/kept-subscriptions.ts'
import { createProjects } from './projects/projects.ts'
import { turnsOfAllServers, turnsOfOneServer } from './projects/request-turns.ts'
import { createSpaces } from './projects/spaces.ts'
import type { Configuration } from './resources/server-state.ts'
import { createCalls } from './rooms/calls.ts'
import { clusterRemoval } from './rooms/cluster-removal.ts'
import { createConferenceTokens } from './rooms/conference-tokens.ts'
import { createConferences } from './rooms/conferences.ts'
import { watchAnywhere } from './rooms/hls/anywhere.ts'
import { createBroadcasts } from './rooms/hls/broadcasts.ts'
import { createInvitations } from './rooms/invitations.ts'
import type { LiveSessions } from './rooms/live-sessions.ts'
import { createMediaLinks } from './rooms/media-links.ts'
import { createPosters, type Posters } from './rooms/posters.ts'
import { createPreviews } from './rooms/previews.ts'
import { createRecordingShares } from './rooms/recording-shares.ts'
import { createRecordings } from './rooms/recordings.ts'
import { createRecordingsElsewhere } from './rooms/recordings-elsewhere.ts'
import { createRecordingQuotas } from './rooms/retention/recording-quotas.ts'
import { createRetention } from './rooms/retention/retention.ts'
import { RetentionSweeps } from './rooms/retention/retention-sweeps.ts'
import { createRoomSessions } from './rooms/room-sessions.ts'
import { createRoomTokens } from './rooms/room-tokens.ts'
import { createRooms } from './rooms/rooms.ts'
import { createSessionRuns } from './rooms/session-runs.ts'
import { ClusterSessions } from './rooms/sessions/cluster-sessions.ts'
import { createSessionRegistry } from './rooms/sessions/session-registry.ts'
import { RecordingFragments } from './rooms/stored-recordings/recording-fragments.ts'
import { Sending } from './rooms/stored-recordings/sending.ts'
import { StoreSweep } from './rooms/stored-recordings/store-sweep.ts'
import { createStoredMedia } from './rooms/stored-recordings/stored-media.ts'
import { createStreamTests } from './rooms/stream-tests.ts'
import { createStreams } from './rooms/streams.ts'
import { createTokenReader } from './rooms/token-reader.ts'
import { createVideoLogs } from './rooms/video-logs.ts'
import { ClusterWaitingRooms } from './rooms/waiting-room/cluster-waiting-rooms.ts'
import { WaitingRooms } from './rooms/waiting-room/waiting-rooms.ts'
import { createPasswordHashes } from './secrets/password-hash.ts'
import type { ServerSecrets } from './secrets/server-secrets.ts'
import type { DataFolder } from './storage/data-folder.ts'
import { diskSpace } from './storage/disk-space.ts'
import type { Storage } from './storage/storage.ts'
import { createWebhookDeliveries } from './webhooks/deliveries.ts'
import { WebhookSending } from './webhooks/webhook-sending.ts'
import { createWebhooks, webhookProtocols } from './webhooks/webhooks.ts'

// Callers need these types for the lists of services.
export type { ListOrder } from './storage/list-order.ts'
export type { ListCursor, ListPage, ListRequest } from './storage/list-page.ts'

/** Dependencies of the services. */
export interface Foundations {
  config: Config
  secrets: ServerSecrets
  storage: Storage
  cluster: Cluster
  media: MediaPlane
  folder: Pick<DataFolder, 'recordingsFolder' | 'previewsFolder'>
  clock: Clock
  log: Logger
  /** Examines the installation, for the dashboard. */
  examine: () => Promise<Finding[]>
  backupKeeper: BackupKeeper
  /** The end of the log. */
  logTail: LogTail
  /** The options of the server, without secrets. */
  configuration: Configuration
  /** Where recordings are kept; null if on the disk. */
  store: ObjectStore | null
  /** Version of the server. */
  version: string
  /** Project whose owners operate the server. */
  operatorProjectId: string
  refusedSignIns: FigureSources['refusedSignIns']
  servedForOthers: FigureSources['servedForOthers']
  /** What is wrong with the server. */
  troubles: FigureSources['troubles']
}

/**
 * All services that the interfaces of the server, HTTP and WebSocket, use. The interfaces have no other access to
 * storage.
 */
export type Services = ReturnType<typeof createServices>

/** Creates every service once. A new service needs one line here. */
export function createServices(foundations: Foundations) {
  const parts = sharedParts(foundations)
  const { secrets, folder, config, cluster } = foundations
  const { storage, clock, previews, broadcasts, sessions } = parts
  // What speaks of sessions by their ids reaches those of all nodes.
  const everywhere = { ...parts, sessions: parts.liveSessions }
  const addresses = createAddresses(parts)
  const roomSessions = createRoomSessions(everywhere)
  const conferenceTokens = createConferenceTokens(everywhere)
  const passwords = createPasswordHashes()
  const dashboardNews = createNews({ ...parts, cluster, media: foundations.media })
  const files = { folder: folder.recordingsFolder, log: foundations.log.child({ part: 'recordings' }) }
  const stored = storedRecordings(foundations, parts)
  const removal = clusterRemoval(cluster, { ...parts, ...files, stored: stored?.media ?? null })
  const recordings = createRecordings({ ...everywhere, ...files, removal })
  const recordingShares = createRecordingShares({ ...parts, recordings })
  const retentionSweeps = new RetentionSweeps({
    ...parts,
    ...files,
    removal,
    forgetExpiredShares: recordingShares.forgetExpired,
    onDeleted: (projectId) => dashboardNews.changed(projectId, 'recordings'),
  })
  const posters = createPosters({ ...parts, ...files, media: foundations.media })
  const chat = new Chat({ ...parts, sessions, cluster })
  const live = clusterLiveRooms({
    cluster,
    sessions,
    rooms: createLiveRooms({ sessions, roomChat: config.roomChat }),
    acts: createRoomActs({ ...parts, chat, roomChat: config.roomChat }),
  })
  const webhooks = webhookParts(foundations, parts)
  return {
    clock,
    openId: createOpenId({ ...parts, config }),
    ownAccounts: createOwnAccounts({ ...parts, passwords }),
    operatorDesk: createOperatorDesk({ ...parts, ...operatorParts(foundations) }),
    operatorProjectId: foundations.operatorProjectId,
    passwordSignIn: createPasswordSignIn({ ...parts, passwords }),
    previews,
    broadcasts,
    watching: watchAnywhere({ ...parts, cluster }),
    sessions,
    addresses,
    apiTokens: createApiTokens({ ...parts, actor: SERVER }),
    auditLog: createAuditLog(parts),
    calls: createCalls(everywhere),
    chat,
    chatTokens: createChatTokens({ clock, key: secrets.chatTokenKey }),
    conferences: createConferences(everywhere),
    conferenceTokens,
    credentials: createCredentials(parts),
    dashboardNews,
    dashboard: createDashboard({
      ...parts,
      media: foundations.media,
      figures: live.figures,
      folder: folder.recordingsFolder,
      examine: foundations.examine,
    }),
    embedOrigins: createEmbedOrigins(parts),
    invitations: createInvitations(everywhere),
    keptAnswers: createKeptAnswers({
      ...parts,
      turns: cluster.isAlone ? turnsOfOneServer() : turnsOfAllServers({ ...parts, log: foundations.log }),
    }),
    keptSubscriptions: createKeptSubscriptions({ ...parts, log: foundations.log }),
    liveRooms: live.rooms,
    mediaLinks: createMediaLinks(secrets.mediaLinkKey, clock),
    messages: createMessages(parts),
    projects: createProjects({ ...parts, actor: SERVER, removal }),
    metrics: createMetrics({
      ...foundations,
      ...parts,
      databaseSeconds: () => databaseSeconds(storage, clock),
      disk: () => diskSpace(folder.recordingsFolder),
    }),
    tallies: parts.tallies,
    requestLog: createRequestLog(clock),
    posters,
    recordings,
    assetsElsewhere: cluster.isAlone ? null : createAssetsElsewhere(cluster),
    recordingsElsewhere: cluster.isAlone ? null : createRecordingsElsewhere({ ...parts, cluster }),
    recordingQuotas: parts.quotas,
    recordingShares,
    retention: createRetention({ ...parts, onChange: () => retentionSweeps.wake() }),
    retentionSweeps,
    rooms: createRooms(everywhere),
    roomSearch: createRoomSearch(parts),
    roomActs: live.acts,
    roomSessions,
    sessionRuns: createSessionRuns({ ...parts, cluster }),
    serverLog: createServerLog(foundations.logTail, clock),
    sessionSearch: createSessionSearch({ ...everywhere, roomSessions }),
    roomTokens: createRoomTokens({ ...everywhere, key: secrets.roomTokenKey }),
    sending: stored?.sending(posters) ?? null,
    storedMedia: stored?.media ?? null,
    storeSweep: stored?.sweep ?? null,
    spaces: createSpaces(storage, config.serviceDomain),
    streams: createStreams(everywhere),
    streamOverview: createStreamOverview(parts),
    streamTests: createStreamTests({ ...parts, media: foundations.media, log: foundations.log }),
    subscribers: createSubscribers({ ...parts, addresses, tokenKey: secrets.accessTokenKey }),
    users: createUsers(parts),
    userSessions: createUserSessions(parts),
    tokenReader: createTokenReader({ ...parts, conferenceTokens, key: secrets.roomTokenKey }),
    videoLogs: createVideoLogs(everywhere),
    webhooks: createWebhooks(webhooks),
    webhookDeliveries: createWebhookDeliveries(webhooks),
    webhookSending: webhooks.sending,
    waitingRooms: new ClusterWaitingRooms(new WaitingRooms({ clock, key: secrets.roomTokenKey }), cluster),
  }
}

/** What is there with a store of objects alone. */
function storedRecordings(
  { store, folder, media, log, operatorProjectId }: Foundations,
  parts: ReturnType<typeof sharedParts>,
) {
  const { fragments } = parts
  if (!store || !fragments) return null
  const files = { folder: folder.recordingsFolder, log: log.child({ part: 'store' }) }
  const repair = (file: string) => media.repairRecording(file)
  return {
    media: createStoredMedia(store, fragments),
    sweep: new StoreSweep({ ...parts, ...files, store, owner: operatorProjectId }),
    sending: (posters: Posters) => new Sending({ ...parts, ...files, fragments, store, posters, repair }),
  }
}

/** What the desk of the operator needs besides the shared parts. */
function operatorParts({ config, clock, ...foundations }: Foundations) {
  const { backupKeeper, configuration, version, operatorProjectId } = foundations
  const platform = `${process.platform} ${process.arch}`
  return {
    version: { version, node: process.version, platform, startedAt: clock.now() },
    configuration,
    backups: createBackups(backupKeeper, clock, config.minFreeBytes),
    projectId: operatorProjectId,
  }
}

/** What webhooks need besides the shared parts. */
function webhookParts({ config, log, version }: Foundations, parts: ReturnType<typeof sharedParts>) {
  const shared = { ...parts, protocols: webhookProtocols(config.allowPrivateTargets) }
  const sending = new WebhookSending({
    ...shared,
    log: log.child({ part: 'webhooks' }),
    userAgent: `Parley/${version}`,
    disableAfterMs: config.webhookDisableAfterMs,
    keptMs: config.webhookLogMs,
  })
  const { maxWebhooksPerProject } = config
  return { ...shared, maxWebhooksPerProject, sending, wake: () => sending.wake() }
}

/** Creates the parts that several services share. */
function sharedParts({ config, secrets, storage, cluster, media, folder, clock, log, store }: Foundations) {
  const { recordingsFolder, previewsFolder } = folder
  const { sealingKey } = secrets
  const { fps, maxStreamsPerRoom } = config
  const previews = createPreviews({ folder: previewsFolder, key: secrets.mediaLinkKey })
  const targets = createTargets(config)
  const broadcasts = createBroadcasts({
    folder: previewsFolder,
    key: secrets.mediaLinkKey,
    clock,
    log: log.child({ part: 'hls' }),
  })
  const fragments =
    store &&
    new RecordingFragments({ store, clock, log: log.child({ part: 'store' }), folder: recordingsFolder })
  const tallies = new Tallies()
  const quotas = createRecordingQuotas({ storage, clock, log: log.child({ part: 'recordings' }) })
  const sessions = createSessionRegistry({
    quotas,
    counts: tallies,
    fragments,
    storage,
    cluster,
    media,
    clock,
    log: log.child({ part: 'sessions' }),
    settings: { ...config, recordingsFolder },
    previews,
    broadcasts,
    streamSources: { targets, sealingKey, maxStreamsPerRoom },
  })
  const liveSessions: LiveSessions = cluster.isAlone
    ? sessions
    : new ClusterSessions({ local: sessions, cluster, storage, log })
  const prices = config
  return {
    storage,
    clock,
    sealingKey,
    fps,
    maxStreamsPerRoom,
    prices,
    previews,
    broadcasts,
    targets,
    sessions,
    quotas,
    liveSessions,
    tallies,
    fragments,
  }
}

/** Time of a small write, in seconds. */
async function databaseSeconds({ heartbeats }: Storage, clock: Clock): Promise<number> {
  const startedAtMs = performance.now()
  await heartbeats.beat(clock.now())
  return (performance.now() - startedAtMs) / 1000
}
