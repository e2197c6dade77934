import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { ConnectionTarget } from '../media/channel.ts'
import type { Target, Targets } from '../outgoing/targets.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { Quality, RoomRecord, StreamRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { unrecognized } from './changes.ts'
import type { LiveSessions, StreamCondition } from './live-sessions.ts'

/** A stream as the API shows it, with size and frame rate of its picture. */
export type ShownStream = Pick<StreamRecord, 'id' | 'created_at' | 'updated_at'> & {
  url: string
  width: number
  height: number
  fps: number
  condition: StreamCondition
}

/** Kind of owner of a stream. The API of rooms does not find streams of conferences, and the other way round. */
export type StreamOwner = 'room' | 'conference'

/** The streams of all rooms and conferences. */
export interface Streams {
  /**
   * Adds a stream. It starts at once if a session is in progress, otherwise with the next session.
   * @throws Refusal `provided_id_is_unrecognized`, `url_failed_to_parse`, `url_is_unsafe`,
   * `exceeds_platform_stream_limit`
   */
  create(projectId: string, owner: StreamOwner, ownerId: string, url: string): Promise<ShownStream>
  /**
   * Newest first.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  listOf(
    projectId: string,
    owner: StreamOwner,
    ownerId: string,
    request: ListRequest,
  ): Promise<ListPage<ShownStream>>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<ShownStream>
  /**
   * Changes the address of a stream. A running stream moves there at once.
   * @throws Refusal `provided_id_is_unrecognized`, `url_failed_to_parse`, `url_is_unsafe`
   */
  update(projectId: string, id: string, url: string): Promise<ShownStream>
  /**
   * Deletes a stream. A running stream is stopped.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  delete(projectId: string, id: string): Promise<void>
}

export interface StreamsOptions {
  storage: Storage
  sessions: Pick<LiveSessions, 'streamsChanged' | 'streamsOfMembers' | 'streamCondition'>
  targets: Targets
  clock: Clock
  /** Key that encrypts the addresses, because they hold secret keys. */
  sealingKey: Uint8Array
  /** Maximum number of streams of one room or conference, including those that members of its session started. */
  maxStreamsPerRoom: number
}

/** Protocols for streams. */
export const STREAM_PROTOCOLS = ['rtmp', 'rtmps'] as const

const DEFAULT_PORTS: Readonly<Record<string, number>> = { rtmp: 1935, rtmps: 443 }

/** What the media worker connects to for an address that was just judged. */
export const connectionTarget = (found: Target & { address: string }): ConnectionTarget => ({
  host: found.host,
  address: found.address,
  port: found.port ?? DEFAULT_PORTS[found.protocol] ?? 0,
  tls: found.protocol === 'rtmps',
})

/** Size of the composed picture in pixels. */
const MEASURES: Record<Quality, { width: number; height: number }> = {
  '720p': { width: 1280, height: 720 },
  '1080p': { width: 1920, height: 1080 },
}

const sealedAs = (id: string) => `stream:${id}`

/** Decrypts the address of a stored stream. */
export function streamUrl(stream: StreamRecord, sealingKey: Uint8Array): string {
  return unseal(sealingKey, sealedAs(stream.id), stream.sealed_url)
}

export function createStreams(options: StreamsOptions): Streams {
  const { storage, sessions, targets, clock, sealingKey, maxStreamsPerRoom } = options

  const checkUrl = (url: string) => targets.check(url, STREAM_PROTOCOLS, 'url')

  async function show(stream: StreamRecord, room: RoomRecord): Promise<ShownStream> {
    const { id, created_at, updated_at } = stream
    const url = streamUrl(stream, sealingKey)
    const condition = await sessions.streamCondition(room.project_id, room.id, id)
    return { id, url, ...MEASURES[room.quality], fps: room.fps, created_at, updated_at, condition }
  }

  async function find(projectId: string, id: string): Promise<{ stream: StreamRecord; room: RoomRecord }> {
    const stream = await storage.streams.find(projectId, id)
    const room = stream && (await storage.rooms.find(projectId, stream.room_id))
    if (!room) throw unrecognized()
    return { stream, room }
  }

  return {
    async create(projectId, owner, ownerId, url) {
      ownedBy(owner, await storage.rooms.find(projectId, ownerId))
      await checkUrl(url)
      const id = newId()
      const created = await storage.transaction(async (tx) => {
        const room = ownedBy(owner, await tx.rooms.hold(projectId, ownerId))
        const stored = await tx.streams.listOfRoom(projectId, room.id)
        const present = stored.length + (await sessions.streamsOfMembers(projectId, room.id))
        if (present >= maxStreamsPerRoom) throw tooMany(owner, maxStreamsPerRoom)
        const now = clock.now()
        const sealed_url = seal(sealingKey, sealedAs(id), url)
        const stream = {
          id,
          project_id: projectId,
          room_id: room.id,
          sealed_url,
          created_at: now,
          updated_at: now,
        }
        await tx.streams.insert(stream)
        return { stream, room }
      })
      sessions.streamsChanged(projectId, ownerId)
      return show(created.stream, created.room)
    },

    async listOf(projectId, owner, ownerId, request) {
      const room = ownedBy(owner, await storage.rooms.find(projectId, ownerId))
      const page = await storage.streams.list(projectId, room.id, request)
      return { ...page, rows: await Promise.all(page.rows.map((stream) => show(stream, room))) }
    },

    async get(projectId, id) {
      const { stream, room } = await find(projectId, id)
      return show(stream, room)
    },

    async update(projectId, id, url) {
      const { room } = await find(projectId, id)
      await checkUrl(url)
      const sealed_url = seal(sealingKey, sealedAs(id), url)
      const updated = await storage.streams.update(projectId, id, { sealed_url, updated_at: clock.now() })
      if (!updated) throw unrecognized()
      sessions.streamsChanged(projectId, room.id)
      return show(updated, room)
    },

    async delete(projectId, id) {
      const { room } = await find(projectId, id)
      if (!(await storage.streams.delete(projectId, id))) throw unrecognized()
      sessions.streamsChanged(projectId, room.id)
    },
  }
}

function ownedBy(owner: StreamOwner, room: RoomRecord | undefined): RoomRecord {
  if (!room || (room.conference !== null) !== (owner === 'conference')) throw unrecognized()
  return room
}

function tooMany(owner: StreamOwner, limit: number): Refusal {
  const message = `A ${owner} may have ${limit} streams, and this one has them. Delete one first.`
  return new Refusal('exceeds_platform_stream_limit', message)
}
