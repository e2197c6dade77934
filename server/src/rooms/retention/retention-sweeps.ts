import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { recordAct, SERVER } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { RecurringWork } from '../../recurring-work.ts'
import type { RemovedFile } from '../../storage/interfaces/recordings.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { RecordingRemoval } from '../recording-removal.ts'
import { DAY_MS } from './retention.ts'

/** Between two sweeps. Rules are in days, so this is soon enough. */
const INTERVAL_MS = 10 * 60_000
/** After the start of the server, which has other things to do first. */
const FIRST_DELAY_MS = 15_000
/** Recordings that are looked at, and those that are deleted in one transaction. */
const PAGE = 200
const PORTION = 20
/** Between two pages and two portions, so that requests and meetings come first. */
const PAUSE_MS = 20

export interface RetentionSweepsOptions {
  storage: Storage
  clock: Clock
  log: Logger
  removal: RecordingRemoval
  forgetExpiredShares: () => Promise<void>
  /** Recordings of this project were deleted. */
  onDeleted: (projectId: string) => void
}

/** Deletes recordings that are older than their room or project keeps them, from time to time, in small portions. */
export class RetentionSweeps {
  readonly #options: RetentionSweepsOptions
  readonly #sweeps: RecurringWork

  constructor(options: RetentionSweepsOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(options, () => this.sweep().then(() => INTERVAL_MS))
  }

  /** Begins to sweep from time to time. */
  start(): void {
    this.#sweeps.start(FIRST_DELAY_MS)
  }

  /** Sweeps soon, because a rule has changed. */
  wake(): void {
    this.#sweeps.wake()
  }

  stop(): Promise<void> {
    return this.#sweeps.stop()
  }

  /** Sweeps once. What fails is left to the next time. */
  async sweep(): Promise<void> {
    const { storage, removal, forgetExpiredShares, log } = this.#options
    try {
      await removal.retry()
      await forgetExpiredShares()
      for (const [projectId, days] of await storage.retention.shortest()) {
        await this.#sweepProject(projectId, days)
      }
    } catch (error) {
      log.error({ err: error }, 'old recordings could not be deleted; this is tried again')
    }
  }

  /** @param shortest days of the shortest rule in the project: what is younger need not be looked at */
  async #sweepProject(projectId: string, shortest: number): Promise<void> {
    const { storage, clock } = this.#options
    const now = clock.now()
    let after: { at: number; id: string } | null = null
    while (!this.#sweeps.isStopped) {
      const page: RecordingRecord[] = await storage.retention.finishedBefore(
        projectId,
        now - shortest * DAY_MS,
        after,
        PAGE,
      )
      const expired = await this.#expired(projectId, page, now)
      for (let start = 0; start < expired.length && !this.#sweeps.isStopped; start += PORTION) {
        await this.#delete(projectId, expired.slice(start, start + PORTION))
        await sleep(PAUSE_MS)
      }
      const last = page.at(-1)
      if (!last || page.length < PAGE) return
      after = { at: last.finished_at ?? 0, id: last.id }
      await sleep(PAUSE_MS)
    }
  }

  /** Those of a page that are older than their own rule. */
  async #expired(
    projectId: string,
    page: readonly RecordingRecord[],
    now: number,
  ): Promise<{ recording: RecordingRecord; days: number }[]> {
    const { storage } = this.#options
    if (page.length === 0) return []
    const roomIds = [...new Set(page.flatMap(({ room_id }) => room_id ?? []))]
    const ofRooms = await storage.retention.ofRooms(projectId, roomIds)
    // Read for each page, so that a rule that is taken back takes effect at once.
    const ofProject = (await storage.projects.find(projectId))?.recording_retention_days ?? 0
    return page.flatMap((recording) => {
      const days = ofRooms.get(recording.room_id ?? '') ?? ofProject
      const isExpired = days > 0 && (recording.finished_at ?? now) < now - days * DAY_MS
      return isExpired && recording.status === 'completed' ? [{ recording, days }] : []
    })
  }

  async #delete(
    projectId: string,
    expired: readonly { recording: RecordingRecord; days: number }[],
  ): Promise<void> {
    const { storage, removal, clock, log, onDeleted } = this.#options
    const now = clock.now()
    const deleted = await storage.transaction(async (tx) => {
      const recordings: string[] = []
      const files: RemovedFile[] = []
      for (const { recording, days } of expired) {
        const removed = await removal.deleteRecord(tx, recording)
        if (!removed) continue
        await tx.events.append(eventOf(recording, days, now))
        recordings.push(recording.id)
        files.push(...removed)
      }
      if (recordings.length > 0) {
        const act = { actor: SERVER, action: 'recording.expire', projectId } as const
        await recordAct(tx, { ...act, details: { recordings } }, now)
      }
      return { count: recordings.length, files }
    })
    if (deleted.count === 0) return
    log.info({ projectId, recordings: deleted.count }, 'recordings were older than the rule allows')
    await removal.removeFiles(deleted.files)
    onDeleted(projectId)
  }
}

const eventOf = (recording: RecordingRecord, days: number, at: number) => ({
  id: newId(),
  project_id: recording.project_id,
  room_id: recording.room_id,
  room_session_id: recording.room_session_id,
  room_recording_id: recording.id,
  room_participant_id: null,
  level: 'info' as const,
  name: 'recording.expired' as const,
  payload: { recording_id: recording.id, days },
  created_at: at,
})
