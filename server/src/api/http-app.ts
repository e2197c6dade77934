import { type IncomingMessage, maxHeaderSize } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createAddresses } from '../fabric/addresses.ts'
import { createSubscribers } from '../fabric/subscribers.ts'
import type { Readiness } from '../health/readiness.ts'
import type { ConnectionPool } from '../limits/connection-pool.ts'
import type { FailedSignIns } from '../limits/failed-sign-ins.ts'
import type { Spaces } from '../projects/spaces.ts'
import type { Calls } from '../rooms/calls.ts'
import type { ConferenceTokens } from '../rooms/conference-tokens.ts'
import type { Conferences } from '../rooms/conferences.ts'
import { createMediaLinks } from '../rooms/media-links.ts'
import type { Previews } from '../rooms/previews.ts'
import type { Recordings } from '../rooms/recordings.ts'
import type { RoomSessions } from '../rooms/room-sessions.ts'
import type { RoomTokens } from '../rooms/room-tokens.ts'
import type { Rooms } from '../rooms/rooms.ts'
import type { Streams } from '../rooms/streams.ts'
import type { VideoLogs } from '../rooms/video-logs.ts'
import type { ServerSecrets } from '../secrets/server-secrets.ts'
import type { Storage } from '../storage/storage.ts'
import type { KeyedCertificate } from '../tls/authority.ts'
import { createOnePortServer } from '../tls/one-port.ts'
import { chatRoutes } from './chat/chat-routes.ts'
import { useBasicAuthentication } from './conventions/authentication.ts'
import { answerError, answerUnreadable, useErrorAnswers } from './conventions/errors.ts'
import { closingRefusal, useHttpsOnly } from './conventions/https-only.ts'
import { useIdempotency } from './conventions/idempotency.ts'
import { BODY_MAX_BYTES, useJsonBodies } from './conventions/json-body.ts'
import { useNoStore } from './conventions/no-store.ts'
import { useOptionsMethod } from './conventions/options-method.ts'
import { usePaging } from './conventions/paging.ts'
import { hostFor, originFor, publicHosts } from './conventions/public-origin.ts'
import { createRateLimits, type RateLimits } from './conventions/rate-limits.ts'
import { requestId, tellRequestId, useRequestIds } from './conventions/request-ids.ts'
import { requestLog, useRequestLog } from './conventions/request-log.ts'
import { originForm } from './conventions/request-target.ts'
import { useRequiredScopes } from './conventions/scopes-required.ts'
import { securityHeaders, useSecurityHeaders } from './conventions/security-headers.ts'
import { useSpaces } from './conventions/spaces.ts'
import type { TypedApp } from './conventions/typed-app.ts'
import { useValidation } from './conventions/validation.ts'
import { useApiDocument } from './document/api-document.ts'
import { apiConsoleRoutes } from './document/console.ts'
import { fabricRoutes } from './fabric/fabric-routes.ts'
import { errorPageRoute } from './files/error-page.ts'
import { pageFactRoutes } from './files/page-facts.ts'
import { previewFileRoutes } from './files/preview-files.ts'
import { recordingFileRoutes } from './files/recording-files.ts'
import { webPageRoutes } from './files/web-page.ts'
import { healthRoutes } from './health.ts'
import { lamlRoutes } from './laml/laml-routes.ts'
import { messagingRoutes } from './messaging/messaging-routes.ts'
import { conferenceTokenRoutes } from './video/conference-tokens.ts'
import { conferenceRoutes } from './video/conferences.ts'
import { roomRecordingRoutes } from './video/room-recordings.ts'
import { roomSessionRoutes } from './video/room-sessions.ts'
import { roomTokenRoutes } from './video/room-tokens.ts'
import { roomRoutes } from './video/rooms.ts'
import { streamRoutes } from './video/streams.ts'
import type { VideoContext } from './video/video-context.ts'
import { videoLogRoutes } from './video/video-logs.ts'

/** How long a request may take to arrive, headers and body, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
/** How often it is looked for requests that take too long. */
const TIMEOUT_CHECK_MS = 2000
/** Longer than proxies keep theirs, so that none sends a request into a connection that is being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000

export interface HttpAppOptions {
  config: Pick<Config, 'publicUrl' | 'trustedProxies' | 'requestsPerMinute'>
  connections: ConnectionPool
  failedSignIns: FailedSignIns
  certificate: KeyedCertificate
  secrets: ServerSecrets
  storage: Storage
  spaces: Spaces
  rooms: Rooms
  roomSessions: RoomSessions
  recordings: Recordings
  conferences: Conferences
  conferenceTokens: ConferenceTokens
  roomTokens: RoomTokens
  streams: Streams
  calls: Calls
  videoLogs: VideoLogs
  /** Absolute path of the folder that the files of recordings lie in. */
  recordingsFolder: string
  previews: Previews
  /** Absolute path of the folder that the pages were built to. */
  webFolder: string
  isSecure: (request: IncomingMessage) => boolean
  readiness: Pick<Readiness, 'troubles'>
  clock: Clock
  log: Logger
}

/** The HTTP surface, ready to listen. */
export interface HttpApp {
  app: FastifyInstance
  server: HttpsServer
}

/** Puts the HTTP surface together: conventions first, then the families of the interface, then files. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { publicUrl, trustedProxies } = options.config
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // There is a shorter line for each request below.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: BODY_MAX_BYTES,
    rewriteUrl: originForm,
    genReqId: requestId,
    // However long an id or name in a path is, its route says so itself; headers have a limit of their own.
    routerOptions: { maxParamLength: maxHeaderSize },
    childLoggerFactory: requestLog,
    serverFactory: (handler) => listenWith(options, handler),
    frameworkErrors: (error, request, reply) => {
      // No hook has run.
      reply.headers(securityHeaders(request.headers.host ?? ''))
      tellRequestId(request, reply)
      const refusal = options.isSecure(request.raw) ? error : closingRefusal(reply)
      answerError(refusal, request, reply, publicUrl)
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket as Socket, publicUrl, options.log),
  })
  useSecurityHeaders(app)
  useSpaces(app, options.spaces)
  useRequestIds(app)
  useHttpsOnly(app, options.isSecure)
  useErrorAnswers(app, publicUrl)
  useJsonBodies(app)
  useValidation(app)
  useRequestLog(app, options.log)
  useOptionsMethod(app)
  useRequiredScopes(app)

  const limits = createRateLimits(options)
  healthRoutes(app, options.readiness)
  errorPageRoute(app)
  await useApiDocument(app)
  await app.register(async (api) => videoRoutes(api as unknown as TypedApp, options, limits), {
    prefix: '/api/video',
  })
  await app.register(async (api) => fabricFamily(api, options, limits), { prefix: '/api/fabric' })
  const { calls, storage, clock } = options
  const { pagingKey } = options.secrets
  await app.register(async (api) => lamlRoutes(api, { calls, storage, limits, pagingKey, clock }), {
    prefix: '/api/laml',
  })
  await app.register(async (api) => messagingRoutes(api, { storage, limits, pagingKey }), {
    prefix: '/api/messaging',
  })
  for (const kind of ['chat', 'pubsub'] as const) {
    await app.register(async (api) => chatFamily(api, kind, options, limits), { prefix: `/api/${kind}` })
  }
  const mediaLinks = createMediaLinks(options.secrets.mediaLinkKey, options.clock)
  await app.register(async (files) =>
    recordingFileRoutes(files, {
      recordings: options.recordings,
      mediaLinks,
      folder: options.recordingsFolder,
    }),
  )
  await app.register(async (files) => previewFileRoutes(files, options))
  await app.register(apiConsoleRoutes)
  const hostsOf = (request: FastifyRequest) => publicHosts(publicUrl, request)
  await app.register(async (files) => pageFactRoutes(files, { storage, limits, hostsOf }))
  await app.register(async (files) => webPageRoutes(files, { folder: options.webFolder, hostsOf }))
  await app.ready()
  return { app, server: app.server as unknown as HttpsServer }
}

function listenWith(
  { certificate, connections }: HttpAppOptions,
  handler: Parameters<typeof createOnePortServer>[1],
) {
  return createOnePortServer(
    {
      ...certificate,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    handler,
    connections,
  ) as unknown as ReturnType<NonNullable<Parameters<typeof fastify>[0]>['serverFactory'] & object>
}

function videoRoutes(app: TypedApp, options: HttpAppOptions, limits: RateLimits): void {
  const { storage, secrets, clock, rooms, roomSessions, recordings, previews } = options
  const { conferences, conferenceTokens, roomTokens, streams, videoLogs } = options
  const { publicUrl } = options.config
  useBasicAuthentication(app as unknown as FastifyInstance, storage, limits, 'video')
  useIdempotency(app as unknown as FastifyInstance, { storage, sealingKey: secrets.sealingKey, clock })
  const context: VideoContext = {
    rooms,
    roomSessions,
    recordings,
    conferences,
    conferenceTokens,
    roomTokens,
    streams,
    videoLogs,
    mediaLinks: createMediaLinks(secrets.mediaLinkKey, clock),
    previews,
    paging: usePaging(app as unknown as FastifyInstance, secrets.pagingKey),
    clock,
    originOf: (request: FastifyRequest) => originFor(publicUrl, request),
    hostOf: (request: FastifyRequest) => hostFor(publicUrl, request),
  }
  useNoStore(app as unknown as FastifyInstance)
  roomRoutes(app, context)
  roomTokenRoutes(app, context)
  roomSessionRoutes(app, context)
  roomRecordingRoutes(app, context)
  conferenceRoutes(app, context)
  conferenceTokenRoutes(app, context)
  streamRoutes(app, context)
  videoLogRoutes(app, context)
}

function fabricFamily(app: FastifyInstance, options: HttpAppOptions, limits: RateLimits): void {
  const { storage, secrets, clock, previews } = options
  const { accessTokenKey, pagingKey, sealingKey } = secrets
  const addresses = createAddresses({ storage, previews, clock })
  fabricRoutes(app, {
    addresses,
    originOf: (request) => originFor(options.config.publicUrl, request),
    subscribers: createSubscribers({ storage, addresses, tokenKey: accessTokenKey, clock }),
    hostOf: (request) => hostFor(options.config.publicUrl, request),
    storage,
    limits,
    idempotency: { storage, sealingKey, clock },
    accessTokenKey,
    pagingKey,
    clock,
  })
}

function chatFamily(
  app: FastifyInstance,
  kind: 'chat' | 'pubsub',
  options: HttpAppOptions,
  limits: RateLimits,
): void {
  const { storage, secrets, clock } = options
  const { chatTokenKey, sealingKey } = secrets
  chatRoutes(app, {
    kind,
    storage,
    limits,
    idempotency: { storage, sealingKey, clock },
    chatTokenKey,
    hostOf: (request) => hostFor(options.config.publicUrl, request),
    clock,
  })
}
