import type { Clock } from '../clock.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { RecordingRecord, SessionRecord, StreamRunRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { unrecognized } from './changes.ts'
import type { LiveSessions } from './live-sessions.ts'
import { readMerged } from './merged-list.ts'
import { memberCost, type PriceList, recordingCost, streamCost } from './prices.ts'
import { mediaLengthMs } from './recordings.ts'

/** An entry of the log: something in a project that may have a cost. Times are Unix milliseconds. */
export interface LogEntry {
  /** Id of its subject: a session, a recording, or one run of a stream. */
  id: string
  type: 'room_session' | 'conference_session' | 'recording' | 'stream'
  /** The API resource with the details. Null if it no longer exists. */
  resource: { kind: 'room_sessions' | 'room_recordings' | 'streams'; id: string } | null
  status: SessionRecord['status'] | RecordingRecord['status'] | StreamRunRecord['status']
  /** The session that it happened in. */
  session: SessionRecord | null
  started_at: number | null
  ended_at: number | null
  created_at: number
  /** The items to pay for. */
  charges: { description: string; costInDollars: number }[]
}

/** The log of all projects, newest first. */
export interface VideoLogs {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<LogEntry>
  list(projectId: string, request: ListRequest): Promise<ListPage<LogEntry>>
}

export interface VideoLogsOptions {
  storage: Storage
  sessions: Pick<LiveSessions, 'written' | 'recordedMs'>
  clock: Clock
  prices: PriceList
}

/** A row of one of the three kinds. */
type Row =
  | { kind: 'session'; record: SessionRecord }
  | { kind: 'recording'; record: RecordingRecord }
  | { kind: 'stream'; record: StreamRunRecord }
type ListedRow = Row & { id: string; created_at: number }

function listed<R extends Row>(row: R): R & { id: string; created_at: number } {
  return { ...row, id: row.record.id, created_at: row.record.created_at }
}

export function createVideoLogs({ storage, sessions, clock, prices }: VideoLogsOptions): VideoLogs {
  const lists = (projectId: string): ((request: ListRequest) => Promise<ListPage<ListedRow>>)[] => [
    async (request) => asRows('session', await storage.sessions.list(projectId, {}, request)),
    async (request) => asRows('recording', await storage.recordings.list(projectId, {}, request)),
    async (request) => asRows('stream', await storage.streamRuns.list(projectId, request)),
  ]

  async function find(projectId: string, id: string): Promise<Row | undefined> {
    const [session, recording, run] = await Promise.all([
      storage.sessions.find(projectId, id),
      storage.recordings.find(projectId, id),
      storage.streamRuns.find(projectId, id),
    ])
    if (session) return { kind: 'session', record: session }
    if (recording) return { kind: 'recording', record: recording }
    return run && { kind: 'stream', record: run }
  }

  async function describe(projectId: string, rows: readonly Row[]): Promise<LogEntry[]> {
    const now = clock.now()
    const [sessionById, streamIds, conferenceIds] = await Promise.all([
      sessionsOf(projectId, rows),
      streamsOf(projectId, rows),
      conferencesOf(projectId, rows),
    ])
    const ids = rows.filter((row) => row.kind === 'session').map((row) => row.record.id)
    const memberTimes = await storage.members.totalTimes(projectId, ids, now)
    const entries = rows.map((row) => {
      if (row.kind === 'session') {
        const { id, room_id } = row.record
        const isOfConference = room_id !== null && conferenceIds.has(room_id)
        return describeSession(row.record, isOfConference, memberTimes.get(id) ?? 0)
      }
      const session = sessionById.get(row.record.room_session_id) ?? null
      return row.kind === 'recording'
        ? describeRecording(row.record, session, now)
        : describeStream(row.record, session, streamIds, now)
    })
    return Promise.all(entries)
  }

  function sessionsOf(projectId: string, rows: readonly Row[]): Promise<Map<string, SessionRecord>> {
    const ids = rows.map((row) => (row.kind === 'session' ? null : row.record.room_session_id))
    return storage.sessions.findAll(projectId, [...new Set(ids.filter((id) => id !== null))])
  }

  /** Ids of the streams that still exist. */
  function streamsOf(projectId: string, rows: readonly Row[]): Promise<Set<string>> {
    const ids = rows.map((row) => (row.kind === 'stream' ? row.record.stream_id : null))
    return storage.streams.findIds(projectId, [...new Set(ids.filter((id) => id !== null))])
  }

  /** Ids of the conferences among the rooms of sessions. A deleted conference can no longer be told from a room. */
  function conferencesOf(projectId: string, rows: readonly Row[]): Promise<Set<string>> {
    const ids = rows.map((row) => (row.kind === 'session' ? row.record.room_id : null))
    return storage.rooms.findConferenceIds(projectId, [...new Set(ids.filter((id) => id !== null))])
  }

  function describeSession(record: SessionRecord, isOfConference: boolean, membersTimeMs: number): LogEntry {
    return {
      id: record.id,
      type: isOfConference ? 'conference_session' : 'room_session',
      resource: { kind: 'room_sessions', id: record.id },
      status: record.status,
      session: record,
      started_at: record.start_time,
      ended_at: record.end_time,
      created_at: record.created_at,
      charges: [
        {
          description: `Members, ${minutes(membersTimeMs)} at ${record.quality}`,
          costInDollars: memberCost(prices, record.quality, membersTimeMs),
        },
      ],
    }
  }

  async function describeRecording(
    record: RecordingRecord,
    session: SessionRecord | null,
    now: number,
  ): Promise<LogEntry> {
    const lengthMs = (await mediaLengthMs(record, sessions, now)) ?? 0
    const costInDollars = recordingCost(prices, lengthMs)
    return {
      id: record.id,
      type: 'recording',
      resource: { kind: 'room_recordings', id: record.id },
      status: record.status,
      session,
      started_at: record.started_at,
      ended_at: record.finished_at,
      created_at: record.created_at,
      charges: [{ description: `Recording, ${minutes(lengthMs)}`, costInDollars }],
    }
  }

  function describeStream(
    record: StreamRunRecord,
    session: SessionRecord | null,
    streamIds: ReadonlySet<string>,
    now: number,
  ): LogEntry {
    const { stream_id: id } = record
    const lengthMs = record.started_at === null ? 0 : (record.ended_at ?? now) - record.started_at
    const costInDollars = streamCost(prices, lengthMs)
    return {
      id: record.id,
      type: 'stream',
      resource: id !== null && streamIds.has(id) ? { kind: 'streams', id } : null,
      status: record.status,
      session,
      started_at: record.started_at,
      ended_at: record.ended_at,
      created_at: record.created_at,
      charges: [{ description: `Stream, ${minutes(lengthMs)}`, costInDollars }],
    }
  }

  return {
    async get(projectId, id) {
      await sessions.written(projectId)
      const row = await find(projectId, id)
      const [entry] = row ? await describe(projectId, [row]) : []
      if (!entry) throw unrecognized()
      return entry
    },

    async list(projectId, request) {
      await sessions.written(projectId)
      const page = await readMerged(lists(projectId), request)
      return { ...page, rows: await describe(projectId, page.rows) }
    },
  }
}

function asRows<K extends Row['kind']>(
  kind: K,
  page: ListPage<Extract<Row, { kind: K }>['record']>,
): ListPage<ListedRow> {
  return { ...page, rows: page.rows.map((record) => listed({ kind, record } as Row)) }
}

const minutes = (timeMs: number) => `${(Math.max(0, timeMs) / 60_000).toFixed(1)} minutes`
