import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { RecordingFilter } from '../storage/interfaces/recordings.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { EventRecord, RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { LiveSessions } from './live-sessions.ts'
import { type PriceList, recordingCost } from './prices.ts'
import type { RecordingRemoval } from './recording-removal.ts'
import type { WithCost } from './room-sessions.ts'

/** A recording with the length of its media so far, in milliseconds, and its cost. */
export type ShownRecording = WithCost<RecordingRecord> & { lengthMs: number | null }

/** The recordings of all projects. */
export interface Recordings {
  /** Absolute path of the folder with the recording files. */
  readonly folder: string
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<ShownRecording>
  list(projectId: string, request: ListRequest): Promise<ListPage<ShownRecording>>
  /** Newest first. A page may hold fewer than asked for, although there are more. */
  search(projectId: string, filter: RecordingFilter, request: ListRequest): Promise<ListPage<ShownRecording>>
  /** @throws Refusal `provided_id_is_unrecognized` when there is no such session */
  listOfSession(projectId: string, sessionId: string, request: ListRequest): Promise<ListPage<ShownRecording>>
  /** @throws Refusal `provided_id_is_unrecognized` */
  listEvents(projectId: string, id: string, request: ListRequest): Promise<ListPage<EventRecord>>
  /**
   * Deletes a recording and its media. If it is being finished, waits for that first.
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_state` while it is running or paused
   */
  delete(projectId: string, id: string): Promise<void>
}

export interface RecordingsOptions {
  storage: Storage
  sessions: LiveSessions
  clock: Clock
  prices: PriceList
  removal: RecordingRemoval
  /** Absolute path of the folder with the recording files. */
  folder: string
}

const unrecognized = () => new Refusal('provided_id_is_unrecognized', { attribute: 'id' })

const stillRunning = () =>
  new Refusal('invalid_state', {
    message:
      'The recording is still running. It can be deleted once it is stopped, or its session has ended.',
  })

export function createRecordings(options: RecordingsOptions): Recordings {
  const { storage, sessions, clock, prices, removal, folder } = options

  async function find(projectId: string, id: string): Promise<RecordingRecord> {
    await sessions.written(projectId, 'recordings')
    const recording = await storage.recordings.find(projectId, id)
    if (!recording) throw unrecognized()
    return recording
  }

  async function show(recording: RecordingRecord): Promise<ShownRecording> {
    const lengthMs = await mediaLengthMs(recording, sessions, clock.now())
    return { ...recording, lengthMs, costInDollars: recordingCost(prices, lengthMs ?? 0) }
  }

  async function search(projectId: string, filter: RecordingFilter, request: ListRequest) {
    await sessions.written(projectId, 'recordings')
    const page = await storage.recordings.list(projectId, filter, request)
    return { ...page, rows: await Promise.all(page.rows.map(show)) }
  }

  return {
    folder,

    get: async (projectId, id) => show(await find(projectId, id)),

    list: (projectId, request) => search(projectId, {}, request),

    search,

    async listOfSession(projectId, sessionId, request) {
      if (!(await storage.sessions.find(projectId, sessionId))) throw unrecognized()
      return search(projectId, { sessionId }, request)
    },

    async listEvents(projectId, id, request) {
      await find(projectId, id)
      return storage.events.list(projectId, { recordingId: id }, request)
    },

    async delete(projectId, id) {
      const recording = await find(projectId, id)
      if (recording.status === 'recording' || recording.status === 'paused') throw stillRunning()
      if (recording.status === 'processing') await sessions.stopRecording(projectId, id)
      const files = await storage.transaction((tx) => removal.deleteRecord(tx, recording))
      if (!files) throw unrecognized()
      await removal.removeFiles(files)
    },
  }
}

/** Length of a recording's media, in milliseconds. For a running one: its length so far, without pauses. */
export async function mediaLengthMs(
  recording: RecordingRecord,
  sessions: Pick<LiveSessions, 'recordedMs'>,
  now: number,
): Promise<number | null> {
  if (recording.duration_ms !== null) return recording.duration_ms
  if (recording.started_at === null) return null
  const lengthMs = await sessions.recordedMs(recording.project_id, recording.id)
  if (lengthMs !== null) return lengthMs
  // The server that recorded it was killed, and the file is being repaired.
  return (recording.finished_at ?? now) - recording.started_at
}
