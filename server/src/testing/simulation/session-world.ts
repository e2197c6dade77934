import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import type { Cluster } from '../../cluster/cluster.ts'
import { newId } from '../../ids.ts'
import { createTargets } from '../../outgoing/targets.ts'
import { createBroadcasts } from '../../rooms/hls/broadcasts.ts'
import { PERMISSIONS } from '../../rooms/permissions.ts'
import { createPreviews } from '../../rooms/previews.ts'
import type { RoomTokenGrant } from '../../rooms/room-token.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type {
  ClientIdentity,
  EndCause,
  MemberView,
  Participant,
  SessionEvent,
} from '../../rooms/sessions/participant.ts'
import { createSessionRegistry, type SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { sampleRoom } from '../sample-records.ts'
import { sampleRoomTokenGrant } from '../sample-room-token-grant.ts'
import { testCluster } from '../test-cluster.ts'
import { ManualClock } from './manual-clock.ts'
import { SimulatedMedia } from './simulated-media.ts'
import { type WatchedStorage, type WriteFaults, watchStorage } from './watched-storage.ts'

export const GRACE = { sessionGraceMs: 5000, reconnectGraceMs: 30_000 } as const

/** A participant that records its events. Like a browser, it knows the members only from these events. */
export class Witness implements Participant {
  readonly name: string
  readonly identity: ClientIdentity
  connected = true
  readonly events: SessionEvent[] = []
  readonly ended: { legId: string; cause: EndCause }[] = []
  readonly wanted: { legId: string; width: number; height: number; frameRate: number }[] = []
  /** Ids of the members it has learned of since it joined. */
  known = new Set<string>()
  /** Ids of the members that it holds to be muted. It believes only those fields that an event says have changed. */
  muted = new Set<string>()
  /** Ids of the recordings that it holds to be running. */
  recordings = new Set<string>()
  onLegEnded: (legId: string) => void = () => {}

  constructor(name: string, identity: Partial<ClientIdentity> = {}) {
    this.name = name
    this.identity = { clientId: newId(), browserId: null, ...identity }
  }

  get types(): string[] {
    return this.events.map((event) => event.type)
  }

  notify(event: SessionEvent): void {
    if (!this.connected) return
    this.events.push(event)
    switch (event.type) {
      case 'subscribed':
        this.known = new Set(event.session.members.map((member) => member.id))
        this.muted = new Set(event.session.members.filter((each) => each.audioMuted).map(({ id }) => id))
        this.recordings = new Set(event.session.runningRecordings.map(({ id }) => id))
        break
      case 'recording_started':
        this.recordings.add(event.recording.id)
        break
      case 'recording_ended':
        this.recordings.delete(event.recording.id)
        break
      case 'member_joined':
      case 'member_updated':
        // Only viewers themselves get this event. They are in no member list.
        if (event.member.type === 'audience') break
        if (event.type === 'member_joined' || event.updated.includes('audio_muted')) this.#hear(event.member)
        this.known.add(event.member.id)
        break
      case 'member_left':
        this.known.delete(event.member.id)
        this.muted.delete(event.member.id)
    }
  }

  #hear({ id, audioMuted }: MemberView): void {
    if (audioMuted) this.muted.add(id)
    else this.muted.delete(id)
  }

  legEnded(legId: string, cause: EndCause): void {
    this.ended.push({ legId, cause })
    this.onLegEnded(legId)
  }

  cameraWanted(legId: string, wanted: { width: number; height: number; frameRate: number }): void {
    this.wanted.push({ legId, ...wanted })
  }
}

/** A session registry on a real database, with a manual clock and simulated media. */
export class SessionWorld {
  readonly projectId = newId()
  readonly clock = new ManualClock(() => this.settled())
  readonly media = new SimulatedMedia(this.clock)
  readonly log = pino({ level: 'silent' })
  readonly sealingKey = randomBytes(32)
  /** Addresses by host name. Other names cannot be resolved. */
  readonly names = new Map<string, string>()
  readonly targets = createTargets({
    allowPrivateTargets: false,
    lookup: async (name) => {
      const address = this.names.get(name)
      if (address === undefined) throw new Error('ENOTFOUND')
      return [address]
    },
  })
  /** Free space on the disk, in bytes. */
  freeBytes = 1e12
  readonly storage: Storage
  readonly #watched: WatchedStorage
  readonly #folder: string
  /** Applies to registries that are created from now on. */
  seatsPerToken: number | null = null
  /** The same. */
  speakersTakePlaces = true
  /** The cluster of the registries that are created from now on. Default: each is a server alone. */
  cluster: Cluster | null = null
  registry: SessionRegistry

  private constructor(storage: Storage, folder: string) {
    this.#watched = watchStorage(storage)
    this.storage = this.#watched.storage
    this.#folder = folder
    this.registry = this.newRegistry()
  }

  static async open(): Promise<SessionWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'parley-simulation-'))
    mkdirSync(join(folder, 'recordings'))
    const world = new SessionWorld(await openStorage(join(folder, 'parley.db')), folder)
    await world.storage.projects.insert({ id: world.projectId, name: 'simulation', created_at: 1 })
    return world
  }

  async close(): Promise<void> {
    await this.registry.stop()
    await this.storage.close()
    rmSync(this.#folder, { recursive: true })
  }

  /** Resolves when nothing more happens until the clock moves. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await setImmediate()
      if (this.#watched.busy() > 0) quiet = -1
    }
  }

  /** From now on these writes fail. Null ends the failures. */
  failWrites(faults: WriteFaults | null): void {
    this.#watched.fail(faults)
  }

  /** From now on transactions begin only after this promise has settled. */
  holdTransactions(until: Promise<void>): void {
    this.#watched.hold(until)
  }

  /** Number of writes since {@link failWrites} was called. */
  get writes(): number {
    return this.#watched.writes()
  }

  /** Creates a registry as at a start of the server. */
  newRegistry(): SessionRegistry {
    return createSessionRegistry({
      storage: this.storage,
      cluster: this.cluster ?? testCluster(),
      media: this.media,
      clock: this.clock,
      log: this.log,
      settings: {
        ...GRACE,
        maxAudience: 3,
        seatsPerToken: this.seatsPerToken,
        speakersTakePlaces: this.speakersTakePlaces,
        maxPlaybacksPerRoom: 2,
        recordingsFolder: join(this.#folder, 'recordings'),
        fps: 20,
        minFreeBytes: 500e6,
      },
      measureDisk: async () => ({ freeBytes: this.freeBytes, totalBytes: this.freeBytes, freeFiles: null }),
      previews: createPreviews({ folder: join(this.#folder, 'previews'), key: this.sealingKey }),
      broadcasts: createBroadcasts({
        folder: this.#folder,
        key: this.sealingKey,
        clock: this.clock,
        log: this.log,
      }),
      streamSources: { targets: this.targets, sealingKey: this.sealingKey, maxStreamsPerRoom: 3 },
    })
  }

  async addRoom(fields: Partial<RoomRecord> & { name: string }): Promise<RoomRecord> {
    const room = sampleRoom({ project_id: this.projectId, ...fields })
    await this.storage.rooms.insert(room)
    return room
  }

  grant(fields: Partial<RoomTokenGrant> & { room_name: string }): RoomTokenGrant {
    const common = { project_id: this.projectId, permissions: PERMISSIONS, issued_at: this.clock.now() }
    return sampleRoomTokenGrant({ ...common, ...fields })
  }

  /** Joins with a leg that has the returned id. */
  async join(
    participant: Witness,
    grant: Partial<RoomTokenGrant> & { room_name: string },
    { legId = newId(), offer = 'offer' } = {},
  ) {
    const answers: string[] = []
    const joined = await this.registry.join({
      grant: this.grant(grant),
      name: participant.name,
      participant,
      legId,
      offer,
      onAnswered: (answer) => {
        answers.push(answer)
      },
    })
    await this.settled()
    return { ...joined, legId, answers }
  }

  /** Stored rows of a session, and its events by name in order. */
  async history(session: LiveSession) {
    const all = { limit: 1000 }
    const [record, members, recordings, events] = await Promise.all([
      this.storage.sessions.find(this.projectId, session.id),
      this.storage.members.list(this.projectId, session.id, all),
      this.storage.recordings.list(this.projectId, { sessionId: session.id }, all),
      this.storage.events.list(this.projectId, { sessionId: session.id }, all),
    ])
    return { record, members: members.rows, recordings: recordings.rows, events: events.rows }
  }
}
