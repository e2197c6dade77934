import type { IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { createChallenges } from './acme/challenges.ts'
import { startAcme } from './acme/start-acme.ts'
import { keptBackups } from './admin/backup/kept-backups.ts'
import { examineInProcess } from './admin/doctor/in-a-process.ts'
import { version } from './admin/version.ts'
import { containConnections } from './api/contain-connections.ts'
import { secureTransportCheck } from './api/conventions/https-only.ts'
import { digestOfPages } from './api/files/web-page.ts'
import { createHttpApp, type HttpAppOptions } from './api/http-app.ts'
import { handleUpgrades } from './api/upgrades.ts'
import { SERVER } from './audit/audit.ts'
import { type Clock, containedClock, systemClock } from './clock.ts'
import type { Cluster } from './cluster/cluster.ts'
import { openCluster } from './cluster/open-cluster.ts'
import type { Config } from './config.ts'
import { shownConfiguration } from './config-values.ts'
import { Containment } from './containment.ts'
import { type EarlyParts, startEarly } from './early-parts.ts'
import { createReadiness, type ServerState } from './health/checks.ts'
import type { ReadinessWatch } from './health/readiness-watch.ts'
import { type ConnectionLimits, createConnectionLimits } from './limits/connection-limits.ts'
import { OTHER_NODES } from './limits/connection-pool.ts'
import { CountExchange } from './limits/count-exchange.ts'
import { createTrustedProxies, type TrustedProxies } from './limits/trusted-proxies.ts'
import { LogTail } from './log-tail/log-tail.ts'
import type { MediaWorkers } from './media/media-workers.ts'
import { openStore } from './object-store/open-store.ts'
import { readOwnAuthority } from './plain-http/own-authority.ts'
import { servePlainHttp } from './plain-http/serve-plain-http.ts'
import { ensureFirstProject, ensureFirstToken, type FirstProject } from './projects/first-project.ts'
import { nodeLoad } from './rooms/sessions/node-load.ts'
import { untilEmpty } from './rooms/sessions/until-empty.ts'
import { agreeOnRootKey } from './secrets/agreed-key.ts'
import { loadServerSecrets, type ServerSecrets } from './secrets/server-secrets.ts'
import { createServices, type Services } from './services.ts'
import type { RunningServingNodes } from './serving-nodes/start-serving-nodes.ts'
import { createSignalingServer } from './signaling/signaling-server.ts'
import type { DataFolder } from './storage/data-folder.ts'
import { openStorage } from './storage/open-storage.ts'
import { isPassingFailure } from './storage/passing-failure.ts'
import type { Storage } from './storage/storage.ts'
import { serverCertificate } from './tls/certificate.ts'
import { keepCertificateCurrent } from './tls/certificate-renewal.ts'
import { closeServer, hostInUrl, type ListeningAddress, listen } from './tls/listening.ts'
import { authorityFile } from './tls/own-certificates.ts'
import { ServedCertificate } from './tls/served-certificate.ts'
import { startTracing } from './tracing/start-tracing.ts'
import { createIceServers } from './turn/ice-servers.ts'

/** A server that has started. */
export interface RunningServer {
  /** Address that the server listens on. */
  address: ListeningAddress
  /** URL where clients reach the server, such as `https://localhost:8443`. */
  baseUrl: string
  firstProject: FirstProject
  /** Secret of the one-time link for the owner, at the first start; otherwise null. */
  ownerSecret: string | null
  /**
   * File with the certificate of the server's own authority, for people to import; null when the operator provides a
   * certificate.
   */
  authorityFile: string | null
  /** URL of the port for plain HTTP; null when there is none. */
  plainHttpUrl: string | null
  /**
   * Begins no more sessions, and lets those that run go on.
   * @returns when there are none any more, or after `PARLEY_DRAIN_SECONDS`
   */
  drain(): Promise<void>
  /** Ends sessions, finishes recordings and closes everything, in reverse order of the start. */
  stop(): Promise<void>
}

export interface ServerParts {
  log: Logger
  clock?: Clock
  /** Folder of the built web pages. */
  webFolder?: string
  /** Options of the server, as the checkup of the dashboard reads them. Default: those of this process. */
  env?: Readonly<Record<string, string | undefined>>
  /** The end of the log, for the dashboard. Default: an empty one. */
  logTail?: LogTail
  /** Parts that were started before this module was loaded. They are stopped with the rest. */
  early?: EarlyParts
}

/**
 * Starts everything in order. Resolves when `/readyz` answers 200.
 * @throws CannotListen, NoMediaPort, DataFolderUnusable, DatabaseTooNew, DatabaseUnreachable, UnusableCertificate; nothing keeps
 * running then
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

type OnStop = (step: () => Promise<void> | void) => void

async function startPieces(
  config: Config,
  parts: ServerParts,
  onStop: OnStop,
): Promise<Omit<RunningServer, 'stop'>> {
  const { log, webFolder = resolve(import.meta.dirname, '../../web/dist'), env = process.env } = parts
  onStop(await startTracing(config, version))
  const containment = new Containment(log)
  const clock = containedClock(parts.clock ?? systemClock, containment)
  const { folder, media } = await holdFolder(config, parts, onStop)
  let services: Services | undefined
  let watch: ReadinessWatch | undefined
  const secrets = loadServerSecrets(config)
  const mainName = config.acmeEmail === null || !config.publicUrl ? null : new URL(config.publicUrl).hostname
  const certificate = new ServedCertificate(await serverCertificate(config, clock.now()), mainName)
  const challenges = createChallenges()
  const storage = await holdStorage(config, folder, onStop)
  const self = {
    version,
    pages: digestOfPages(webFolder),
    load: () =>
      services
        ? nodeLoad(media, services.sessions, watch?.isReady ?? true)
        : { media: 0, sessions: 0, members: 0 },
    isDraining: () => services?.sessions.isDraining ?? true,
  }
  if (config.natsUrls !== null) await agreeOnRootKey(storage.sharedFacts, secrets)
  const cluster = await openCluster(config, self, { clock, log: log.child({ part: 'cluster' }) })
  onStop(() => cluster.stop())
  const projectId = await ensureFirstProject(storage, config, clock.now())
  const store = await openStore(config)
  onStop(() => store?.close())
  if (!cluster.isAlone && store === null) {
    log.warn('without PARLEY_S3_BUCKET, a recording can be read only while the node that made it runs')
  }
  const proxies = createTrustedProxies(config.trustedProxies)
  const counts = new CountExchange(cluster, clock)
  onStop(() => counts.stop())
  const limits = createConnectionLimits(config, proxies, counts, log.child({ part: 'limits' }))
  services = createServices({
    config,
    store,
    secrets,
    storage,
    cluster,
    media,
    folder,
    clock,
    log,
    examine: () => examineInProcess(env),
    backupKeeper: keptBackups(config, env),
    logTail: parts.logTail ?? new LogTail([]),
    configuration: shownConfiguration(config, env),
    version,
    operatorProjectId: projectId,
    refusedSignIns: limits.refusedSignIns,
    servedForOthers: () => servingNodes?.served ?? { rooms: 0, legs: 0 },
    troubles: () => readiness.troubles(),
  })
  onStop(() => services.operatorDesk.backups.stop())

  const state: ServerState = {
    phase: 'starting',
    isListening: () => server.listening,
    isDraining: () => services.sessions.isDraining,
  }
  const readiness = createReadiness({ config, storage, media, clock, state })
  if (!cluster.isAlone) {
    const { ReadinessWatch } = await import('./health/readiness-watch.ts')
    watch = new ReadinessWatch(readiness, clock)
    onStop(() => watch?.stop())
  }
  const servingNodes = cluster.isAlone
    ? null
    : await serveWithOthers({ config, cluster, media, clock, log }, onStop)
  const surfaces = {
    cluster,
    servingNodes,
    config,
    secrets,
    services,
    certificate,
    diversion: challenges.diversion,
    readiness,
    webFolder,
    clock,
    log,
  }
  const { app, server, signaling } = await createSurfaces({ ...surfaces, ...limits, proxies }, containment)
  certificate.attach(server)
  onStop(() => app.close())
  // Leftovers of a killed server are settled before clients can connect.
  await services.sessions.recover()
  const address = await listen(server, config)
  onStop(() => closeServer(server))
  onStop(() => signaling.stop())
  onStop(() => services.webhookSending.stop())
  onStop(() => services.sessions.stop())
  const stopRenewal = keepCertificateCurrent(certificate, config, clock, log)
  const plainHttp = await servePlainHttp({
    config,
    httpsPort: address.port,
    spaces: services.spaces,
    connections: limits.connections,
    authority: async () =>
      config.tlsCert === null && !certificate.isIssued ? readOwnAuthority(config.dataDir) : null,
    challengeAnswer: challenges.answerTo,
    certificate: () => certificate.parsed,
    containment,
    log: log.child({ part: 'plain-http' }),
  })
  onStop(() => plainHttp?.stop())
  const stopAcme = await startAcme({
    config,
    certificate,
    challenges,
    spaces: async () => (await storage.projects.list()).flatMap(({ space }) => space ?? []),
    httpPort: plainHttp?.address.port ?? null,
    clock,
    log: log.child({ part: 'acme' }),
  })
  onStop(stopAcme)
  onStop(() => {
    state.phase = 'stopping'
    folder.tellEnding()
    stopRenewal()
    // These answers do not end by themselves.
    services.dashboardNews.stop()
    services.requestLog.stop()
    services.serverLog.stop()
    services.waitingRooms.stop()
    server.close()
  })
  await media.start()
  services.webhookSending.start()
  services.retentionSweeps.start()
  onStop(() => services.retentionSweeps.stop())
  services.sending?.start()
  onStop(() => services.sending?.stop())
  services.storeSweep?.start()
  onStop(() => services.storeSweep?.stop())
  const firstProject = await ensureFirstToken(storage, projectId, config, clock.now())
  const isNew = firstProject.origin === 'generated'
  const ownerSecret = isNew ? (await services.users.inviteOwner(projectId, SERVER)).secret : null
  state.phase = 'running'
  return {
    async drain() {
      services.sessions.isDraining = true
      cluster.nodes.announce()
      await untilEmpty(services.sessions, config.drainMs, clock)
    },
    address,
    baseUrl: config.publicUrl ?? `https://${hostInUrl(config.host)}:${address.port}`,
    firstProject,
    ownerSecret,
    authorityFile: config.tlsCert === null && !certificate.isIssued ? authorityFile(config.dataDir) : null,
    plainHttpUrl: plainHttp?.url ?? null,
  }
}

/** Locks the data folder and starts the media workers, unless that was done before. */
async function holdFolder(config: Config, { log, early }: ServerParts, onStop: OnStop): Promise<EarlyParts> {
  const held = early ?? (await startEarly(config, log))
  onStop(() => held.folder.release())
  onStop(() => held.media.stop())
  if (held.folder.wasOpenToOthers) {
    const message = 'the data folder could be read by other users; it is closed to them now'
    log.warn({ folder: config.dataDir }, message)
  }
  return held
}

/** Opens the database and locks it against other servers. */
async function holdStorage(config: Config, folder: DataFolder, onStop: OnStop): Promise<Storage> {
  const storage = await openStorage(config.databaseUrl ?? folder.databaseFile)
  onStop(() => storage.close())
  if (config.databaseUrl !== null) {
    const { holdDatabase } = await import('./storage/postgres/server-lock.ts')
    const held = await holdDatabase(config.databaseUrl, config.natsUrls === null ? 'alone' : 'with-others')
    onStop(() => held.release())
  }
  return storage
}

interface SurfaceParts
  extends Pick<HttpAppOptions, 'services' | 'certificate' | 'diversion' | 'readiness' | 'webFolder'>,
    ConnectionLimits {
  cluster: Cluster
  servingNodes: RunningServingNodes | null
  config: Config
  proxies: TrustedProxies
  secrets: ServerSecrets
  clock: Clock
  log: Logger
}

/** Lets the nodes of a cluster serve large audiences together. */
async function serveWithOthers(
  parts: { config: Config; cluster: Cluster; media: MediaWorkers; clock: Clock; log: Logger },
  onStop: OnStop,
): Promise<RunningServingNodes> {
  const { startServingNodes } = await import('./serving-nodes/start-serving-nodes.ts')
  const { spreadAudiencePercent } = parts.config
  const log = parts.log.child({ part: 'viewers' })
  const running = startServingNodes({ ...parts, spreadAudiencePercent, log })
  onStop(() => running.stop())
  return running
}

/** Creates the two interfaces: HTTP, and the signaling of browsers over WebSocket on the same port. */
async function createSurfaces(parts: SurfaceParts, containment: Containment) {
  const {
    cluster,
    config,
    secrets,
    services,
    connections,
    failedSignIns,
    refusedSignIns,
    proxies,
    clock,
    log,
  } = parts
  const { publicUrl } = config
  const signaling = createSignalingServer({
    ...services,
    cluster,
    connections,
    failedSignIns,
    refusedSignIns,
    registry: services.sessions,
    tokenKey: secrets.roomTokenKey,
    chatTokenKey: secrets.chatTokenKey,
    roomChat: config.roomChat,
    iceServers: createIceServers(config, clock),
    publicUrl,
    proxies,
    clock,
    log: log.child({ part: 'client' }),
  })
  const isSecure = secureTransportCheck(proxies)
  const http = { ...parts, isSecure, isPassingFailure, pagingKey: secrets.pagingKey }
  const { app, server } = await createHttpApp({ ...http, log: log.child({ part: 'http' }) })
  containConnections(server, containment)
  const takeOver = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const ofNode = () => void connections.signIn(socket, OTHER_NODES, { returning: true })
    const isTaken = parts.servingNodes?.takeOver(request, socket, head, ofNode) ?? false
    return isTaken || signaling.handleUpgrade(request, socket, head)
  }
  handleUpgrades(server, { isSecure, takeOver, publicUrl, log })
  return { app, server, signaling }
}
