import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { unrecognized } from '../rooms/changes.ts'
import { type StreamCondition, WAITING } from '../rooms/live-sessions.ts'
import { readMerged } from '../rooms/merged-list.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import type { LiveStream } from '../rooms/sessions/session-streams.ts'
import { streamUrl } from '../rooms/streams.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { StreamRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { pageOf } from './page-of.ts'
import { withoutKey } from './without-key.ts'

/** A stream of the project, without the key of its destination. Times are Unix milliseconds. */
export interface StreamRow {
  id: string
  created_at: number
  /** Whether it belongs to the room. Others were started by people in a session, and end with it. */
  isKept: boolean
  roomId: string
  roomName: string
  sessionId: string | null
  destination: string
  condition: StreamCondition
  reconnects: number
}

/** All streams of a project. Each page costs the same, however many streams there are. */
export interface StreamOverview {
  /**
   * Newest first. With the status `waiting` a page may hold fewer than asked for, although there are more.
   * @param status all without it
   */
  list(
    projectId: string,
    status: StreamCondition['status'] | undefined,
    request: ListRequest,
  ): Promise<ListPage<{ id: string; created_at: number; row: StreamRow | null }>>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<StreamRow>
  /**
   * Starts a stream of a room that was stopped in the session in progress. Others are left as they are.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  start(projectId: string, id: string, actor: Actor): Promise<void>
  /** Stops a stream until the next session, if it runs. @throws Refusal `provided_id_is_unrecognized` */
  stop(projectId: string, id: string, actor: Actor): Promise<void>
}

export interface StreamOverviewOptions {
  storage: Pick<Storage, 'audit' | 'rooms' | 'streams'>
  sessions: Pick<SessionRegistry, 'runningSessions'>
  clock: Clock
  sealingKey: Uint8Array
}

interface Running {
  session: LiveSession
  stream: LiveStream
}

/** Creates {@link StreamOverview}. */
export function createStreamOverview({
  storage,
  sessions,
  clock,
  sealingKey,
}: StreamOverviewOptions): StreamOverview {
  /** The streams that sessions have, stopped ones included, by id. */
  function known(projectId: string): Map<string, Running> {
    const all = sessions
      .runningSessions(projectId)
      .flatMap((session) => session.streams.known.map((stream) => ({ session, stream })))
    return new Map(all.map((one) => [one.stream.id, one]))
  }

  async function listKept(projectId: string, running: Map<string, Running>, request: ListRequest) {
    const page = await storage.streams.listOfProject(projectId, request)
    const names = await storage.rooms.findNames(projectId, [...new Set(page.rows.map((row) => row.room_id))])
    const sessionOf = new Map(sessions.runningSessions(projectId).map((one) => [one.roomId, one.id]))
    const rows = page.rows.map((record) => {
      const { id, created_at, room_id } = record
      const sessionId = sessionOf.get(room_id) ?? null
      const stream = running.get(id)?.stream
      return {
        id,
        created_at,
        row: keptRow(record, { roomName: names.get(room_id) ?? '', sessionId, stream }),
      }
    })
    return { ...page, rows }
  }

  async function find(projectId: string, id: string): Promise<Running | StreamRecord> {
    const found = known(projectId).get(id) ?? (await storage.streams.find(projectId, id))
    if (!found) throw unrecognized()
    return found
  }

  /** @param parts.stream absent while no session has it */
  function keptRow(
    record: StreamRecord,
    { stream, ...parts }: Pick<StreamRow, 'roomName' | 'sessionId'> & { stream?: LiveStream | undefined },
  ): StreamRow {
    return {
      ...parts,
      id: record.id,
      created_at: record.created_at,
      isKept: true,
      roomId: record.room_id,
      destination: withoutKey(streamUrl(record, sealingKey)),
      condition: stream?.condition ?? WAITING,
      reconnects: stream?.reconnects ?? 0,
    }
  }

  const note = (action: 'stream.start' | 'stream.stop', projectId: string, target: string, actor: Actor) =>
    recordAct(storage, { actor, action, projectId, target }, clock.now())

  return {
    async list(projectId, status, request) {
      const running = known(projectId)
      if (status !== undefined && status !== 'waiting') {
        const rows = [...running.values()].filter(({ stream }) => stream.condition.status === status)
        return pageOf(rows.map(runningEntry), request)
      }
      const kept = (asked: ListRequest) => listKept(projectId, running, asked)
      if (status === 'waiting') {
        const page = await kept(request)
        const rows = page.rows.map((one) =>
          one.row.condition.status === 'waiting' ? one : { ...one, row: null },
        )
        return { ...page, rows }
      }
      const others = [...running.values()].filter(
        ({ stream }) => !stream.isStored && stream.state === 'streaming',
      )
      const unkept = async (asked: ListRequest) => pageOf(others.map(runningEntry), asked)
      return readMerged([kept, unkept], request)
    },

    async get(projectId, id) {
      const found = await find(projectId, id)
      if ('session' in found) return runningEntry(found).row
      const names = await storage.rooms.findNames(projectId, [found.room_id])
      const session = sessions.runningSessions(projectId).find((one) => one.roomId === found.room_id)
      return keptRow(found, { roomName: names.get(found.room_id) ?? '', sessionId: session?.id ?? null })
    },

    async start(projectId, id, actor) {
      const found = await find(projectId, id)
      if (!('session' in found) || found.stream.state === 'streaming') return
      await found.session.streams.startAgain(id)
      await note('stream.start', projectId, id, actor)
    },

    async stop(projectId, id, actor) {
      const found = await find(projectId, id)
      if (!('session' in found) || found.stream.state !== 'streaming') return
      found.session.streams.stop(id)
      await note('stream.stop', projectId, id, actor)
    },
  }
}

function runningEntry({ session, stream }: Running) {
  const { id, createdAt: created_at } = stream
  const row: StreamRow = {
    id,
    created_at,
    isKept: stream.isStored,
    roomId: session.roomId,
    roomName: session.name,
    sessionId: session.id,
    destination: withoutKey(stream.url),
    condition: stream.condition,
    reconnects: stream.reconnects,
  }
  return { id, created_at, row }
}
