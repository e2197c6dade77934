import { type IncomingMessage, maxHeaderSize } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Readiness } from '../health/readiness.ts'
import type { ConnectionLimits } from '../limits/connection-limits.ts'
import { REQUEST_TIMES } from '../limits/request-times.ts'
import type { Services } from '../services.ts'
import type { Diversion } from '../tls/diversion.ts'
import { createOnePortServer } from '../tls/one-port.ts'
import type { ServedCertificate } from '../tls/served-certificate.ts'
import { chatFamily } from './chat/chat-family.ts'
import { useCompression } from './conventions/compression.ts'
import { useCountedRequests } from './conventions/counted-requests.ts'
import {
  answerError,
  answerUnreadable,
  type ErrorAnswerOptions,
  useErrorAnswers,
} from './conventions/errors.ts'
import type { Family } from './conventions/family.ts'
import { closingRefusal, useHttpsOnly } from './conventions/https-only.ts'
import { BODY_MAX_BYTES, useJsonBodies } from './conventions/json-body.ts'
import { useOptionsMethod } from './conventions/options-method.ts'
import { publicHosts } from './conventions/public-origin.ts'
import { createRateLimits } from './conventions/rate-limits.ts'
import { requestId, tellRequestId, useRequestIds } from './conventions/request-ids.ts'
import { requestLog, useRequestLog } from './conventions/request-log.ts'
import { originForm } from './conventions/request-target.ts'
import { useRequiredScopes } from './conventions/scopes-required.ts'
import { securityHeaders, useSecurityHeaders } from './conventions/security-headers.ts'
import { useSerialization } from './conventions/serialization.ts'
import { useSpaces } from './conventions/spaces.ts'
import { useTracedRequests } from './conventions/traced-requests.ts'
import { useValidation } from './conventions/validation.ts'
import { dashboardFamily } from './dashboard/dashboard-family.ts'
import { useChangeNews } from './dashboard/news.ts'
import { useLoggedRequests } from './dashboard/requests.ts'
import { useApiDocument } from './document/api-document.ts'
import { fabricFamily } from './fabric/fabric-family.ts'
import { filesFamily } from './files/files-family.ts'
import { unknownPage } from './files/web-page.ts'
import { healthRoutes } from './health.ts'
import { lamlFamily, lamlFamilyAtRoot } from './laml/laml-family.ts'
import { managementFamily } from './management/management-family.ts'
import { messagingFamily } from './messaging/messaging-family.ts'
import { metricsFamily } from './metrics.ts'
import { videoFamily } from './video/video-family.ts'

/**
 * Longer than the keep-alive time of proxies, so that a proxy never sends a request into a connection that is being
 * closed.
 */
const KEEP_ALIVE_TIMEOUT_MS = 72_000

/** The families of the API, by the prefix of their paths. */
const FAMILIES: Readonly<Record<string, Family>> = {
  '/api/video': videoFamily,
  '/api/fabric': fabricFamily,
  '/api/laml': lamlFamily,
  '': lamlFamilyAtRoot,
  '/api/messaging': messagingFamily,
  '/api/management': managementFamily,
  '/api/dashboard': dashboardFamily,
  '/api/chat': chatFamily('chat'),
  '/api/pubsub': chatFamily('pubsub'),
}

export interface HttpAppOptions extends ConnectionLimits, Pick<ErrorAnswerOptions, 'isPassingFailure'> {
  config: Pick<Config, 'publicUrl' | 'trustedProxies' | 'requestsPerMinute'>
  services: Services
  certificate: ServedCertificate
  /** Takes some TLS connections before they are served. */
  diversion: Diversion
  /** Signs page tokens. */
  pagingKey: Uint8Array
  /** Absolute path of the folder of the built web pages. */
  webFolder: string
  isSecure: (request: IncomingMessage) => boolean
  readiness: Pick<Readiness, 'troubles'>
  log: Logger
}

/** The HTTP interface, ready to listen. */
export interface HttpApp {
  app: FastifyInstance
  server: HttpsServer
}

/** Creates the HTTP interface: conventions first, then the families of the API, then files. */
export async function createHttpApp(options: HttpAppOptions): Promise<HttpApp> {
  const { services, pagingKey, webFolder } = options
  const { publicUrl } = options.config
  const app = fastify(frameworkOptions(options))
  useConventions(app, options)
  const limits = createRateLimits(options)
  await useCompression(app)
  healthRoutes(app, options.readiness)
  await useApiDocument(app)
  for (const [prefix, family] of Object.entries(FAMILIES)) {
    await app.register(family, { prefix, services, limits, pagingKey, publicUrl })
  }
  await app.register(metricsFamily, { services, limits, pagingKey, publicUrl })
  await app.register(filesFamily, { services, limits, publicUrl, webFolder })
  await app.ready()
  return { app, server: app.server as unknown as HttpsServer }
}

function frameworkOptions(options: HttpAppOptions): FastifyServerOptions {
  const { publicUrl, trustedProxies } = options.config
  const { isSecure, log } = options
  return {
    loggerInstance: log as FastifyBaseLogger,
    // `useRequestLog` writes a shorter line for each request.
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    bodyLimit: BODY_MAX_BYTES,
    rewriteUrl: originForm,
    genReqId: requestId,
    // The router does not limit path parameters. Each route limits its own ids and names, and headers have a limit of
    // their own.
    routerOptions: { maxParamLength: maxHeaderSize },
    childLoggerFactory: requestLog,
    serverFactory: (handler) => listenWith(options, handler),
    frameworkErrors: (error, request, reply) => {
      // No hook has run, so the headers are set here.
      reply.headers(securityHeaders(request.headers.host ?? ''))
      tellRequestId(request, reply)
      const refusal = isSecure(request.raw) ? error : closingRefusal(reply)
      answerError(refusal, request, reply, errorAnswers(options))
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket as Socket, publicUrl, log),
  }
}

/** Adds the conventions of all routes. */
function useConventions(app: FastifyInstance, options: HttpAppOptions): void {
  const { services, isSecure, log } = options
  useTracedRequests(app)
  useSecurityHeaders(app)
  useSpaces(app, services.spaces)
  useRequestIds(app)
  useHttpsOnly(app, isSecure)
  useErrorAnswers(app, errorAnswers(options))
  useJsonBodies(app)
  useValidation(app)
  useSerialization(app)
  useRequestLog(app, log)
  useOptionsMethod(app)
  useRequiredScopes(app)
  useChangeNews(app, services.dashboardNews)
  useLoggedRequests(app, services.requestLog, services.clock)
  useCountedRequests(app, services.tallies)
}

function errorAnswers({ config, isPassingFailure, services, webFolder }: HttpAppOptions): ErrorAnswerOptions {
  const { publicUrl } = config
  const hostsOf = (request: FastifyRequest) => publicHosts(publicUrl, request)
  const mediaOrigin = services.storedMedia?.origin ?? null
  return {
    publicUrl,
    isPassingFailure,
    unknownPage: unknownPage({ folder: webFolder, hostsOf, mediaOrigin }),
  }
}

function listenWith(
  { certificate, connections, diversion }: HttpAppOptions,
  handler: Parameters<typeof createOnePortServer>[1],
) {
  return createOnePortServer(
    {
      ...certificate.options,
      ...REQUEST_TIMES,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    handler,
    connections,
    diversion,
  ) as unknown as ReturnType<NonNullable<Parameters<typeof fastify>[0]>['serverFactory'] & object>
}
