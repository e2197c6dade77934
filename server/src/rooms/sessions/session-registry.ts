import { mkdir } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { Containment } from '../../containment.ts'
import type { Fault } from '../../errors/kinds.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import type { DiskSpace } from '../../storage/disk-space.ts'
import type { Fps, RoomRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { inSpan } from '../../tracing/spans.ts'
import type { Broadcasts } from '../hls/broadcasts.ts'
import {
  type EndReason,
  type LiveSessions,
  type SessionDoor,
  type StreamCondition,
  WAITING,
} from '../live-sessions.ts'
import type { Previews } from '../previews.ts'
import type { RecordingQuotas } from '../retention/recording-quotas.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import type { RecordingFragments } from '../stored-recordings/recording-fragments.ts'
import { type TokenKey, tokenKey } from '../token-key.ts'
import type { JoinRequest, LiveSession } from './live-session.ts'
import { LostSessions } from './lost-sessions.ts'
import type { Member } from './member.ts'
import { OpenSessions } from './open-sessions.ts'
import type { ClientIdentity } from './participant.ts'
import { RecordingSpace } from './recording-space.ts'
import { RevocationWatch } from './revocation-watch.ts'
import { type NamedRoom, RoomOwners } from './room-owners.ts'
import { RoomPlacement } from './room-placement.ts'
import { RoomsByToken } from './rooms-by-token.ts'
import type { VoidReason } from './session-bans.ts'
import { NO_COUNTS, type SessionCounts } from './session-counts.ts'
import { SessionFactory } from './session-factory.ts'
import { SessionHeartbeat } from './session-heartbeat.ts'
import { SessionReconciler } from './session-reconciler.ts'
import { SessionRecovery } from './session-recovery.ts'
import type { SessionSettings } from './session-settings.ts'
import { shutDown } from './session-shutdown.ts'
import type { StreamSources } from './session-streams.ts'
import { SessionWatchers } from './session-watchers.ts'
import { WriteQueueBudget } from './write-queue-budget.ts'

/** Maximum attempts of one join. A session may end after the join found it; the join then begins another session. */
const JOIN_ATTEMPTS = 3

export interface SessionRegistryOptions {
  storage: Storage
  cluster: Cluster
  media: MediaPlane
  clock: Clock
  log: Logger
  settings: SessionSettings & {
    /** Frame rate of rooms that a join creates. */
    fps: Fps
    /** Minimum of free bytes on the disk. Below it, nothing is recorded. */
    minFreeBytes: number
  }
  /** Measures free space. Default: asks the operating system. */
  measureDisk?: (folder: string) => Promise<DiskSpace>
  previews: Pick<Previews, 'file' | 'link'>
  broadcasts: Pick<Broadcasts, 'folder' | 'add' | 'end'>
  streamSources: StreamSources
  /** What recordings may take; null for no limits. */
  quotas?: Pick<RecordingQuotas, 'check' | 'passed'> | null
  /** Fragments of recordings in the store of objects; null without one. */
  fragments?: RecordingFragments | null
  counts?: SessionCounts
}

/** All sessions that run on this server. */
export interface SessionRegistry extends LiveSessions {
  /**
   * Completes sessions that a killed server left in progress. Resolves when none of them is in progress any more.
   * Their recordings are repaired after that, in the background.
   */
  recover(): Promise<void>
  /**
   * Finds the room of a token and checks that the token may be used for it now.
   * @returns null if the room does not exist and a join would create it
   * @throws Refusal `room_missing`, `too_early` or `too_late`; or `not_permitted` if the conference token was
   * reset or the client was removed from the session in progress
   */
  admit(grant: RoomTokenGrant, client: ClientIdentity): Promise<RoomRecord | null>
  /**
   * Checks that a room token has not been revoked. Conference tokens are not checked here: each use looks them up.
   * @throws Refusal `not_permitted` when it was revoked
   */
  checkToken(grant: RoomTokenGrant): Promise<void>
  /**
   * Joins the session of the token's room. Begins a session if none is in progress.
   * @throws Refusal
   */
  join(request: JoinRequest): Promise<{ session: LiveSession; member: Member }>
  /** An open session that has started. */
  runningSession(projectId: string, sessionId: string): LiveSession | undefined
  /** The open sessions of a project that have started, in the order in which they began. */
  runningSessions(projectId: string): LiveSession[]
  /** Whether the member has a seat in an open session. */
  isIn(projectId: string, sessionId: string, memberId: string): boolean
  // What this node knows itself is there at once.
  doorOf(projectId: string, roomId: string): SessionDoor | null
  recordedMs(projectId: string, recordingId: string): number | null
  streamCondition(projectId: string, roomId: string, streamId: string): StreamCondition
  streamsOfMembers(projectId: string, roomId: string): number
  /** The name of the other node of the cluster that runs a session; null if none does. */
  nodeOf(projectId: string, sessionId: string): Promise<string | null>
  /** The rooms that this node owns. */
  readonly owners: RoomOwners
  /** Where rooms are, or are to begin. */
  readonly placement: RoomPlacement
  /** Calls back when this node does not own a room any more, after its session has ended. @returns removes the callback */
  onRoomLost(callback: (room: NamedRoom) => void): () => void
  /** Those who are told the events of all sessions of a project. */
  readonly watchers: SessionWatchers
  /** The open sessions, in the order in which they began. */
  readonly sessions: readonly LiveSession[]
  /** While it is true no session begins. Those that run go on, and people may join them. */
  isDraining: boolean
  /** Ends all sessions, finishes their recordings, and refuses to begin new ones. */
  stop(): Promise<void>
}

/** Creates the registry. It does nothing until one of its methods is called. */
export function createSessionRegistry(options: SessionRegistryOptions): SessionRegistry {
  return new Registry(options)
}

class Registry implements SessionRegistry {
  readonly watchers = new SessionWatchers()
  readonly owners: RoomOwners
  readonly placement: RoomPlacement
  readonly #onRoomLost = new Set<(room: NamedRoom) => void>()
  isDraining = false
  readonly #options: SessionRegistryOptions
  readonly #rooms: RoomsByToken
  readonly #heartbeat: SessionHeartbeat
  readonly #recovery: SessionRecovery
  readonly #revocations: RevocationWatch
  readonly #factory: SessionFactory
  readonly #reconciler: SessionReconciler
  readonly #space: RecordingSpace
  readonly #lost: LostSessions
  readonly #sessions = new OpenSessions()
  #repairs: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(options: SessionRegistryOptions) {
    this.#options = options
    const { storage, media, clock, log, settings, cluster } = options
    const fragments = options.fragments ?? null
    const sessions = () => this.#sessions.all
    const isRunningHere = (sessionId: string) => sessions().some(({ id }) => id === sessionId)
    this.#recovery = new SessionRecovery({
      storage,
      media,
      clock,
      log,
      cluster,
      fragments,
      isRunningHere,
      recordingsFolder: settings.recordingsFolder,
    })
    this.owners = new RoomOwners({
      cluster,
      clock,
      log,
      onOwned: (room, claim) =>
        cluster.isAlone ? Promise.resolve() : this.#recovery.completeRoom(room, claim),
      onLost: (room) => this.#roomLost(room),
    })
    this.placement = new RoomPlacement({ cluster, owners: this.owners, clock })
    this.#lost = new LostSessions({
      storage,
      clock,
      log,
      isRunningHere: ({ id }) => isRunningHere(id),
      settle: async (session) => void (await this.owners.reserve(session)),
    })
    this.#rooms = new RoomsByToken({ storage, clock, fps: settings.fps })
    this.#heartbeat = new SessionHeartbeat({ storage, clock, log, sessions: () => this.sessions })
    this.#revocations = new RevocationWatch({ storage, sessions: () => this.sessions, clock, log })
    this.#reconciler = new SessionReconciler({ storage, clock, log, recovery: this.#recovery, sessions })
    this.#space = new RecordingSpace({
      folder: settings.recordingsFolder,
      minFreeBytes: settings.minFreeBytes,
      clock,
      log,
      isRecording: () => sessions().some((session) => session.recordings.running.length > 0),
      finishAll: () => {
        for (const session of sessions()) session.recordings.finishForSpace()
      },
      ...(options.measureDisk && { measure: options.measureDisk }),
    })
    this.#factory = new SessionFactory({
      ...options,
      fragments,
      quotas: options.quotas ?? null,
      counts: options.counts ?? NO_COUNTS,
      containment: new Containment(log),
      writeQueueBudget: WriteQueueBudget.overall(),
      owners: this.owners,
      rooms: this.#rooms,
      recovery: this.#recovery,
      recordingSpace: this.#space,
      sessions: this.#sessions,
      watchers: this.watchers,
      onBegun: () => {
        this.#heartbeat.start()
        this.#revocations.watch()
      },
    })
  }

  get sessions(): readonly LiveSession[] {
    return this.#sessions.open
  }

  runningSession(projectId: string, sessionId: string): LiveSession | undefined {
    return this.#sessions.running(projectId, sessionId)
  }

  runningSessions(projectId: string): LiveSession[] {
    return this.#sessions.runningOf(projectId)
  }

  isIn(projectId: string, sessionId: string, memberId: string): boolean {
    return this.#sessions.find(projectId, sessionId)?.member(memberId) !== undefined
  }

  async nodeOf(projectId: string, sessionId: string): Promise<string | null> {
    const { cluster, storage } = this.#options
    if (cluster.isAlone) return null
    const record = await storage.sessions.find(projectId, sessionId)
    if (record?.status !== 'in-progress' || record.owner_node === null) return null
    const isElsewhere = record.owner_node !== cluster.nodes.self.name
    return isElsewhere && cluster.nodes.find(record.owner_node) ? record.owner_node : null
  }

  async recover(): Promise<void> {
    await mkdir(this.#options.settings.recordingsFolder, { recursive: true })
    await this.#recovery.completeSessions()
    this.#repairs = this.#recovery.repairRecordings().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'interrupted recordings could not be listed')
    })
    this.#reconciler.start()
    if (!this.#options.cluster.isAlone) this.#lost.start()
  }

  async admit(grant: RoomTokenGrant, client: ClientIdentity): Promise<RoomRecord | null> {
    const room = await this.#rooms.admit(grant)
    if (room) this.#sessions.in(room)?.tokens.checkNotBanned(tokenKey(grant), client)
    return room
  }

  expectJoin(): void {
    this.#options.media.prepare()
  }

  checkToken(grant: RoomTokenGrant): Promise<void> {
    return this.#rooms.checkToken(grant)
  }

  async join(request: JoinRequest): Promise<{ session: LiveSession; member: Member }> {
    const startedAtMs = performance.now()
    const count = (result: string, fault: Fault | 'none') =>
      this.#options.counts?.join(result, fault, (performance.now() - startedAtMs) / 1000)
    try {
      const joined = await inSpan('join', 'internal', { 'parley.join_as': request.grant.join_as }, () =>
        this.#join(request),
      )
      count('joined', 'none')
      return joined
    } catch (error) {
      if (error instanceof Refusal) count(error.code, error.fault)
      else count('failed', 'ours')
      throw error
    }
  }

  async #join(request: JoinRequest): Promise<{ session: LiveSession; member: Member }> {
    for (let attempt = 1; ; attempt++) {
      await this.checkToken(request.grant)
      const known = await this.admit(request.grant, request.participant.identity)
      if (!known) this.#checkRunning()
      if (request.grant.join_as === 'audience' && !this.#options.media.admitsAudience)
        throw new Refusal('server_full')
      const room = known ?? (await this.#rooms.create(request.grant))
      const session = await this.#sessions.inOrBegun(room, () => this.#begin(room))
      try {
        return { session, member: await session.joins.addMember(request) }
      } catch (error) {
        const hasEnded = error instanceof Refusal && error.code === 'session_ended'
        if (!hasEnded || attempt === JOIN_ATTEMPTS || this.#stopping) throw error
      }
    }
  }

  async endForRoom(projectId: string, roomId: string, reason: EndReason): Promise<void> {
    await this.#sessions.begun()
    const sessions = this.#sessions.allOfRoom(projectId, roomId)
    await Promise.all(sessions.map((session) => this.#endWholly(session, reason)))
  }

  async voidToken(projectId: string, token: TokenKey, reason: VoidReason): Promise<void> {
    const everywhere = () => {
      for (const session of this.#sessions.open) {
        if (session.projectId === projectId) session.departures.voidToken(token, reason)
      }
    }
    everywhere()
    // A join to a session that is still being begun had its token checked before.
    await this.#sessions.begun()
    everywhere()
  }

  async stopRecording(projectId: string, recordingId: string): Promise<void> {
    await this.#sessions.thatRecords(projectId, recordingId)?.recordings.finish(recordingId)
  }

  recordedMs(projectId: string, recordingId: string): number | null {
    return this.#sessions.thatRecords(projectId, recordingId)?.recordings.lengthMs(recordingId) ?? null
  }

  streamsChanged(projectId: string, roomId: string): void {
    for (const session of this.#sessions.ofRoom(projectId, roomId)) {
      // A session that has not started yet reads its streams when it starts.
      if (session.isStarted) void session.streams.sync()
    }
  }

  streamCondition(projectId: string, roomId: string, streamId: string): StreamCondition {
    const [session] = this.#sessions.ofRoom(projectId, roomId)
    return session?.streams.conditionOf(streamId) ?? WAITING
  }

  doorOf(projectId: string, roomId: string): SessionDoor | null {
    return this.#sessions.ofRoom(projectId, roomId)[0]?.door ?? null
  }

  streamsOfMembers(projectId: string, roomId: string): number {
    return this.#sessions.ofRoom(projectId, roomId).reduce((sum, { streams }) => sum + streams.ofMembers, 0)
  }

  async written(projectId: string): Promise<void> {
    await Promise.all(
      this.#sessions.all
        .filter((session) => session.projectId === projectId)
        .map((session) => session.writes.flushedOrStuck()),
    )
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await this.#reconciler.stop()
    await this.#lost.stop()
    this.#space.stop()
    await this.#sessions.begun()
    const { clock, log, settings } = this.#options
    await shutDown(this.#sessions.all, {
      clock,
      log,
      recordingsFolder: settings.recordingsFolder,
      giveUpRoom: async ({ room }) => {
        await this.owners.giveUp(room)
        this.#tellLost(room)
      },
    })
    await this.#revocations.stop()
    await this.#heartbeat.stop()
    await this.#repairs
    this.placement.stop()
    this.owners.stop()
  }

  onRoomLost(callback: (room: NamedRoom) => void): () => void {
    this.#onRoomLost.add(callback)
    return () => {
      this.#onRoomLost.delete(callback)
    }
  }

  #roomLost(room: NamedRoom): void {
    void this.#sessions.in(room)?.end('ownership_lost')
    this.#tellLost(room)
  }

  #tellLost(room: NamedRoom): void {
    for (const callback of this.#onRoomLost) callback(room)
  }

  async #endWholly(session: LiveSession, reason: EndReason): Promise<void> {
    await session.end(reason)
    await session.finished
  }

  async #begin(room: RoomRecord): Promise<LiveSession> {
    this.#checkRunning()
    const session = await this.#factory.begin(room)
    if (this.#stopping) void session.end('shutdown')
    return session
  }

  #checkRunning(): void {
    if (this.#stopping) {
      throw new Refusal('unavailable', 'The server is shutting down. Join again in a minute.')
    }
    if (this.isDraining) {
      throw new Refusal('unavailable', 'The server takes no new meetings now. Join again later.')
    }
  }
}
