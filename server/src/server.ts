import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { type AddressInfo, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { noSuchRoute, rawAnswer } from './api/conventions/errors.ts'
import { plainHttpRefusal, secureTransportCheck } from './api/conventions/https-only.ts'
import { socketOrigin } from './api/conventions/public-origin.ts'
import { requestId } from './api/conventions/request-ids.ts'
import { createHttpApp } from './api/http-app.ts'
import { Chat } from './chat/chat.ts'
import { createClientSurface } from './client/client-surface.ts'
import { type Clock, containedClock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { Containment, containEvents, type FaultIds } from './containment.ts'
import { type EarlyParts, startEarly } from './early-parts.ts'
import { OperatorError } from './errors/operator-error.ts'
import { databaseCheck, diskCheck, listeningCheck, workersCheck } from './health/checks.ts'
import { Readiness } from './health/readiness.ts'
import { ConnectionPool } from './limits/connection-pool.ts'
import { FailedSignIns } from './limits/failed-sign-ins.ts'
import { connectionsWithin, fileDescriptorLimit } from './limits/file-descriptors.ts'
import { LimitLog } from './limits/limit-log.ts'
import { createTrustedProxies, type TrustedProxies } from './limits/trusted-proxies.ts'
import { createTargets } from './outgoing/targets.ts'
import { ensureFirstProject, type FirstProject } from './projects/first-project.ts'
import { createSpaces } from './projects/spaces.ts'
import { createCalls } from './rooms/calls.ts'
import { createConferenceTokens } from './rooms/conference-tokens.ts'
import { createConferences } from './rooms/conferences.ts'
import { createPreviews } from './rooms/previews.ts'
import { createRecordings } from './rooms/recordings.ts'
import { createRoomSessions } from './rooms/room-sessions.ts'
import { createRoomTokens } from './rooms/room-tokens.ts'
import { createRooms } from './rooms/rooms.ts'
import { createSessionRegistry } from './rooms/sessions/session-registry.ts'
import { createStreams } from './rooms/streams.ts'
import { createVideoLogs } from './rooms/video-logs.ts'
import { loadServerSecrets } from './secrets/server-secrets.ts'
import { openStorage } from './storage/open-storage.ts'
import { holdDatabase } from './storage/postgres/server-lock.ts'
import { serverCertificate } from './tls/certificate.ts'
import { authorityFile } from './tls/own-certificates.ts'

/** How often it is looked whether the certificate was renewed or has to be, in milliseconds. */
const CERTIFICATE_CHECK_MS = 12 * 60 * 60 * 1000
/** How long requests that are under way may take once the server is told to stop, in milliseconds. */
const REQUESTS_GRACE_MS = 2000

/** A server that is up. */
export interface RunningServer {
  /** Where it listens. */
  address: { host: string; port: number }
  /** Where clients reach it, such as `https://localhost:8443`. */
  baseUrl: string
  firstProject: FirstProject
  /** Certificate of our own authority, for people to import; null where the operator brought a certificate. */
  authorityFile: string | null
  /** Ends sessions, finishes recordings and closes everything, in reverse order of the start. */
  stop(): Promise<void>
}

export interface ServerParts {
  log: Logger
  clock?: Clock
  /** Folder that the pages were built to. */
  webFolder?: string
  /** What was started before this module was loaded. It is stopped with the rest. */
  early?: EarlyParts
}

/** The server cannot listen where it should; the message says why. */
export class CannotListen extends OperatorError {
  override readonly name = 'CannotListen'
}

/**
 * Starts everything, in order; resolves when `/readyz` answers 200.
 * @throws CannotListen, DataFolderUnusable, DatabaseTooNew, DatabaseUnreachable, UnusableCertificate; nothing is left
 * running
 */
export async function startServer(config: Config, parts: ServerParts): Promise<RunningServer> {
  const stops: (() => Promise<void> | void)[] = []
  const stop = async () => {
    for (let last = stops.pop(); last; last = stops.pop()) await last()
  }
  try {
    const running = await startPieces(config, parts, (step) => stops.push(step))
    let stopping: Promise<void> | undefined
    return {
      ...running,
      stop() {
        stopping ??= stop()
        return stopping
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startPieces(
  config: Config,
  parts: ServerParts,
  onStop: (step: () => Promise<void> | void) => void,
): Promise<Omit<RunningServer, 'stop'>> {
  const { log, webFolder = resolve(import.meta.dirname, '../../web/dist') } = parts
  const containment = new Containment(log)
  const clock = containedClock(parts.clock ?? systemClock, containment)
  const { folder, media } = parts.early ?? (await startEarly(config, log))
  onStop(() => folder.release())
  onStop(() => media.stop())
  if (folder.wasOpenToOthers) {
    log.warn(
      { folder: config.dataDir },
      'the data folder could be read by other users; it is closed to them now',
    )
  }
  const secrets = loadServerSecrets(config.dataDir)
  const certificate = await serverCertificate(config, clock.now())
  const storage = await openStorage(config.databaseUrl ?? folder.databaseFile)
  onStop(() => storage.close())
  if (config.databaseUrl !== null) {
    const held = await holdDatabase(config.databaseUrl)
    onStop(() => held.release())
  }
  const firstProject = await ensureFirstProject(storage, config, clock.now())
  const spaces = createSpaces(storage, config.serviceDomain)

  const { recordingsFolder, previewsFolder } = folder
  const previews = createPreviews({ folder: previewsFolder, key: secrets.mediaLinkKey })
  const { sealingKey } = secrets
  const targets = createTargets(config)
  const registry = createSessionRegistry({
    storage,
    media,
    clock,
    log: log.child({ part: 'sessions' }),
    settings: { ...config, recordingsFolder },
    previews,
    streamSources: { targets, sealingKey, maxStreamsPerRoom: config.maxStreamsPerRoom },
  })
  const conferenceTokens = createConferenceTokens({ storage, clock, sealingKey, sessions: registry })
  const proxies = createTrustedProxies(config.trustedProxies)
  const { connections, failedSignIns } = createLimits(config, proxies, log.child({ part: 'limits' }))
  const client = createClientSurface({
    registry,
    tokenKey: secrets.roomTokenKey,
    conferenceTokens,
    spaces,
    chat: new Chat({ storage, conferences: registry, clock }),
    chatTokenKey: secrets.chatTokenKey,
    publicUrl: config.publicUrl,
    proxies,
    connections,
    failedSignIns,
    clock,
    log: log.child({ part: 'client' }),
  })
  let state: 'starting' | 'running' | 'stopping' = 'starting'
  const readiness = new Readiness([
    listeningCheck(
      () => state,
      () => server.listening,
    ),
    databaseCheck(storage, clock),
    diskCheck(config.dataDir, config.minFreeBytes),
    ...workersCheck(media, config.mediaWorkers),
  ])
  const isSecure = secureTransportCheck(proxies)
  const { app, server } = await createHttpApp({
    config,
    connections,
    failedSignIns,
    certificate,
    secrets,
    storage,
    spaces,
    rooms: createRooms({ storage, sessions: registry, clock, fps: config.fps }),
    conferences: createConferences({ storage, sessions: registry, clock, fps: config.fps, sealingKey }),
    conferenceTokens,
    roomTokens: createRoomTokens({ storage, clock, key: secrets.roomTokenKey, sessions: registry }),
    streams: createStreams({
      storage,
      sessions: registry,
      targets,
      clock,
      sealingKey,
      maxStreamsPerRoom: config.maxStreamsPerRoom,
    }),
    videoLogs: createVideoLogs({ storage, sessions: registry, clock, prices: config }),
    calls: createCalls({ storage, sessions: registry, clock, prices: config }),
    roomSessions: createRoomSessions({ storage, sessions: registry, clock, prices: config }),
    recordings: createRecordings({
      storage,
      sessions: registry,
      clock,
      prices: config,
      folder: recordingsFolder,
    }),
    recordingsFolder,
    previews,
    webFolder,
    isSecure,
    readiness,
    clock,
    log: log.child({ part: 'http' }),
  })
  onStop(() => app.close())
  const { publicUrl } = config
  // Each event of this server is about one connection, which a fault costs.
  containEvents(server, (event, error, args) => {
    containment.note(`connection event ${event}`, error, idsOf(args))
    closeConnection(args)
  })
  server.on('upgrade', (request, socket, head) => {
    if (isSecure(request) && client.handleUpgrade(request, socket, head)) return
    refuse(request, socket)
  })
  server.on('connect', (request, socket) => refuse(request, socket))

  /** Answers a connection that wants to be something else than HTTP, and cannot. */
  function refuse(request: IncomingMessage, socket: Duplex): void {
    const id = requestId(request)
    const refusal = isSecure(request) ? noSuchRoute() : plainHttpRefusal()
    log.debug({ reqId: id, method: request.method, path: request.url?.split('?', 1)[0] }, 'no such upgrade')
    // The client may have gone: an error without a listener would end the process.
    socket.on('error', () => socket.destroy())
    socket.end(rawAnswer(refusal, socketOrigin(publicUrl, socket), id))
  }

  // Nobody can come in before what a killed server left behind is settled.
  await registry.recover()
  const address = await listen(server, config)
  onStop(() => closeServer(server))
  onStop(() => client.stop())
  onStop(() => registry.stop())
  const certificateTimer = setInterval(
    () => void renewCertificate(server, config, clock, log),
    CERTIFICATE_CHECK_MS,
  )
  certificateTimer.unref()
  onStop(() => {
    state = 'stopping'
    folder.tellEnding()
    clearInterval(certificateTimer)
    server.close()
  })
  await media.start()
  state = 'running'
  return {
    address,
    baseUrl: config.publicUrl ?? `https://${hostInUrl(config.host)}:${address.port}`,
    firstProject,
    authorityFile: config.tlsCert === null ? authorityFile(config.dataDir) : null,
  }
}

/** What everybody who connects shares. */
function createLimits(config: Config, proxies: TrustedProxies, log: Logger) {
  const fileDescriptors = fileDescriptorLimit()
  const maxConnections = connectionsWithin(config.maxConnections, fileDescriptors)
  if (maxConnections < config.maxConnections) {
    const message = 'the file descriptors are too few for PARLEY_MAX_CONNECTIONS: see parley doctor'
    log.warn({ fileDescriptors, maxConnections }, message)
  }
  const limitLog = new LimitLog(log)
  return {
    connections: new ConnectionPool({ ...config, maxConnections }, proxies, limitLog),
    failedSignIns: new FailedSignIns(config.failedSignInsPerMinute, limitLog),
  }
}

/** Under which id the caller of a failed event may look for it: of its request, where it has come to one. */
function idsOf(args: readonly unknown[]): FaultIds {
  const request = args.find((argument) => argument instanceof IncomingMessage)
  return request ? { reqId: requestId(request), method: request.method, path: request.url } : {}
}

/** Hangs up on whom a failed event was about. */
function closeConnection(args: readonly unknown[]): void {
  for (const argument of args) {
    if (argument instanceof Duplex) argument.destroy()
    else if (argument instanceof IncomingMessage) argument.socket.destroy()
  }
}

async function listen(server: HttpsServer, { host, port }: Config): Promise<RunningServer['address']> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${port} is taken; stop what uses it, or set PARLEY_PORT to another one (0 picks a free one)`,
      EACCES: `port ${port} needs more rights than this process has; set PARLEY_PORT to one above 1023`,
      EADDRNOTAVAIL: `this machine has no address ${host}; set PARLEY_HOST to one that it has`,
      ENOTFOUND: `the host name ${host} leads nowhere; set PARLEY_HOST to an address of this machine`,
    }
    throw new CannotListen(`cannot listen on ${host}: ${reasons[code ?? ''] ?? message}`, { cause: error })
  }
  const bound = server.address() as AddressInfo
  return { host: bound.address, port: bound.port }
}

/** Resolves when all connections are closed; those with a request under way get a little time. */
async function closeServer(server: HttpsServer): Promise<void> {
  if (server.listening) server.close()
  const closed = new Promise<void>((done) => {
    server.getConnections((_error, count) => (count === 0 ? done() : server.once('close', done)))
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), REQUESTS_GRACE_MS)
  await closed
  clearTimeout(deadline)
}

async function renewCertificate(
  server: HttpsServer,
  config: Config,
  clock: Clock,
  log: Logger,
): Promise<void> {
  try {
    server.setSecureContext(await serverCertificate(config, clock.now()))
  } catch (error) {
    log.error({ err: error }, 'the certificate could not be read again; the present one stays in use')
  }
}

/** An address to listen on, as the host of a URL. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}
