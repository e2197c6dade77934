import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { Chat } from '../../chat/chat.ts'
import { type ChatGrant, mintChatToken } from '../../chat/chat-token.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { PortRange } from '../../config/media-options.ts'
import { type Config, readConfig } from '../../config.ts'
import { newId } from '../../ids.ts'
import { type ConnectionLimits, ConnectionPool } from '../../limits/connection-pool.ts'
import { CountExchange } from '../../limits/count-exchange.ts'
import { FailedSignIns } from '../../limits/failed-sign-ins.ts'
import { LimitLog } from '../../limits/limit-log.ts'
import { RefusedSignIns } from '../../limits/refused-sign-ins.ts'
import { createTrustedProxies } from '../../limits/trusted-proxies.ts'
import { MediaWorkers } from '../../media/media-workers.ts'
import { Tallies } from '../../metrics/tallies.ts'
import { createTargets } from '../../outgoing/targets.ts'
import { createCredentials } from '../../projects/credentials.ts'
import { createKeptSubscriptions } from '../../projects/kept-subscriptions.ts'
import { createSpaces } from '../../projects/spaces.ts'
import { type ConferenceTokens, createConferenceTokens } from '../../rooms/conference-tokens.ts'
import { type ConferenceChanges, createConferences } from '../../rooms/conferences.ts'
import { createBroadcasts } from '../../rooms/hls/broadcasts.ts'
import { createPreviews } from '../../rooms/previews.ts'
import { mintRoomToken, type RoomTokenGrant } from '../../rooms/room-token.ts'
import { createSessionRegistry, type SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { createSignalingServer, type SignalingServer } from '../../signaling/signaling-server.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { IceServers } from '../../turn/ice-servers.ts'
import { freeUdpPorts } from '../free-udp-ports.ts'
import { sampleRoom } from '../sample-records.ts'
import { sampleRoomTokenGrant } from '../sample-room-token-grant.ts'
import { testCluster } from '../test-cluster.ts'
import { RelayClient } from './relay-client.ts'

type Limits = ConnectionLimits & Pick<Config, 'failedSignInsPerMinute'>

/** The server's own defaults. */
const LIMITS: Limits = readConfig({})

export interface RelayOptions {
  clock?: Clock
  limits?: Limits
  /** Whether rooms have a chat. */
  roomChat?: boolean
  iceServers?: IceServers
  log?: Logger
}

/**
 * A relay on a port of this machine, with its own database and media worker. Plain HTTP, because TLS is not the relay's
 * job.
 */
export class RunningRelay {
  readonly projectId = newId()
  readonly tokenKey = randomBytes(64)
  readonly tallies = new Tallies()
  readonly #sealingKey = randomBytes(32)
  readonly registry: SessionRegistry
  surface: SignalingServer
  chat: Chat
  readonly #newSurface: () => { surface: SignalingServer; chat: Chat }
  readonly storage: Storage
  readonly media: MediaWorkers
  readonly conferenceTokens: ConferenceTokens
  readonly #server: Server
  readonly #folder: string
  /** Every client that this object created. */
  readonly clients: RelayClient[] = []

  private constructor(
    storage: Storage,
    folder: string,
    rtcPorts: PortRange,
    { clock, limits, roomChat, iceServers, log }: Required<RelayOptions>,
  ) {
    this.storage = storage
    this.#folder = folder
    this.media = new MediaWorkers(
      {
        mediaWorkers: 1,
        rtcPorts,
        announcedIp: null,
        rtcTransport: 'libdatachannel',
        logLevel: 'silent',
        overloadStep: 'none',
        folders: [folder],
      },
      log,
    )
    const cluster = testCluster()
    this.registry = createSessionRegistry({
      counts: this.tallies,
      storage,
      cluster,
      media: this.media,
      clock,
      log,
      settings: {
        sessionGraceMs: 300,
        reconnectGraceMs: 3000,
        maxAudience: 10,
        seatsPerToken: null,
        speakersTakePlaces: true,
        maxPlaybacksPerRoom: 2,
        recordingsFolder: join(folder, 'recordings'),
        fps: 20,
        minFreeBytes: 0,
      },
      previews: createPreviews({ folder: join(folder, 'previews'), key: this.#sealingKey }),
      broadcasts: createBroadcasts({ folder, key: new Uint8Array(32), clock, log }),
      streamSources: {
        targets: createTargets({ allowPrivateTargets: true }),
        sealingKey: this.#sealingKey,
        maxStreamsPerRoom: 2,
      },
    })
    this.conferenceTokens = createConferenceTokens({
      storage,
      clock,
      sealingKey: this.#sealingKey,
      sessions: this.registry,
    })
    const { registry, tokenKey, conferenceTokens } = this
    const limitLog = new LimitLog(log)
    const proxies = createTrustedProxies([])
    const connections = new ConnectionPool(limits, proxies, limitLog)
    this.#newSurface = () => {
      const chat = new Chat({ storage, sessions: registry, clock, cluster })
      return {
        chat,
        surface: createSignalingServer({ ...parts, chat, keptSubscriptions: createKeptSubscriptions(kept) }),
      }
    }
    const kept = { storage, clock, log }
    const parts = {
      registry,
      cluster,
      tokenKey,
      conferenceTokens,
      spaces: createSpaces(storage, null),
      credentials: createCredentials({ storage, clock }),
      chatTokenKey: tokenKey,
      roomChat,
      iceServers,
      proxies,
      connections,
      failedSignIns: new FailedSignIns(
        limits.failedSignInsPerMinute,
        limitLog,
        new CountExchange(cluster, clock),
      ),
      refusedSignIns: new RefusedSignIns(log),
      tallies: this.tallies,
      clock,
      log,
    }
    const { chat, surface } = this.#newSurface()
    this.chat = chat
    this.surface = surface
    this.#server = createServer((_, response) => response.end())
    this.#server.on('connection', (socket) => connections.accept(socket) || socket.destroy())
    this.#server.on('upgrade', (request, socket, head) => {
      if (!this.surface.handleUpgrade(request, socket, head)) socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
    })
  }

  static async open(options: RelayOptions = {}): Promise<RunningRelay> {
    const { clock = systemClock, limits = LIMITS, roomChat = true, iceServers = () => [] } = options
    const { log = pino({ level: process.env.RELAY_LOG ?? 'silent' }) } = options
    const folder = mkdtempSync(join(tmpdir(), 'parley-relay-'))
    const storage = await openStorage(join(folder, 'parley.db'))
    const relay = new RunningRelay(storage, folder, await freeUdpPorts(1), {
      clock,
      limits,
      roomChat,
      iceServers,
      log,
    })
    await relay.storage.projects.insert({ id: relay.projectId, name: 'relay', created_at: 1 })
    await relay.media.start()
    await relay.registry.recover()
    relay.#server.listen(0, '127.0.0.1')
    await once(relay.#server, 'listening')
    return relay
  }

  async close(): Promise<void> {
    await this.registry.stop()
    await this.surface.stop()
    for (const client of this.clients) client.drop()
    this.#server.closeAllConnections()
    this.#server.close()
    await this.media.stop()
    await this.storage.close()
    rmSync(this.#folder, { recursive: true })
  }

  /** Replaces everything that knows the clients, as a restart of the server does. Sessions go on. */
  async restartSignaling(): Promise<void> {
    await this.surface.stop()
    Object.assign(this, this.#newSurface())
  }

  url(path = '/'): string {
    const { port } = this.#server.address() as AddressInfo
    return `ws://127.0.0.1:${port}${path}`
  }

  async addRoom(fields: Partial<RoomRecord> = {}): Promise<RoomRecord> {
    const room = sampleRoom({ project_id: this.projectId, ...fields })
    await this.storage.rooms.insert(room)
    return room
  }

  /** Creates a conference. Returns it with the ids and secrets of its tokens. */
  async addConference(options: ConferenceChanges = {}) {
    const { storage, registry: sessions, projectId } = this
    const sealingKey = this.#sealingKey
    const conferences = createConferences({ storage, sessions, clock: systemClock, fps: 20, sealingKey })
    const conference = await conferences.create(projectId, null, { display_name: 'Conference', ...options })
    const { rows } = await this.conferenceTokens.listOfConference(projectId, conference.id, { limit: 2 })
    const [moderator, guest] = rows
    if (!moderator || !guest) throw new Error('the conference has no tokens')
    return { conference, moderator, guest, delete: () => conferences.delete(projectId, conference.id) }
  }

  token(fields: Partial<RoomTokenGrant> = {}, key: Uint8Array = this.tokenKey): Promise<string> {
    const grant = sampleRoomTokenGrant({ project_id: this.projectId, ...fields })
    return mintRoomToken(grant, key, { host: 'localhost' })
  }

  /** A chat token for `channels`, each with `r`, `w` or both. */
  chatToken(channels: Record<string, string>, fields: Partial<ChatGrant> = {}): Promise<string> {
    const access = Object.entries(channels).map(
      ([name, may]) => [name, { read: may.includes('r'), write: may.includes('w') }] as const,
    )
    const grant: ChatGrant = {
      id: newId(),
      project_id: this.projectId,
      kind: 'chat',
      member_id: 'ada',
      channels: new Map(access),
      state: {},
      seat: null,
      issued_at: Date.now(),
      expires_at: Date.now() + 600_000,
      ...fields,
    }
    return mintChatToken(grant, this.tokenKey, 'localhost')
  }

  /** Opens a socket that has not sent anything yet. */
  async open(path = '/'): Promise<RelayClient> {
    const client = await RelayClient.open(this.url(path))
    this.clients.push(client)
    return client
  }

  /** Connects a client with a token of any kind. */
  async connectWith(token: string, resume: Record<string, unknown> = {}) {
    const client = await RelayClient.connect(this.url(), token, resume)
    this.clients.push(client)
    return client
  }

  /** Connects a client with a room token. */
  async connect(fields: Partial<RoomTokenGrant> = {}) {
    const client = await RelayClient.connect(this.url(), await this.token(fields))
    this.clients.push(client)
    return client
  }

  /** Connects a client that joins the room. */
  async enter(fields: Partial<RoomTokenGrant> = {}) {
    const client = await this.connect(fields)
    return Object.assign(client, { call: await client.join() })
  }
}
