import type { Clock } from '../clock.ts'
import type { MediaPlane, MediaWorkerState } from '../media/media-plane.ts'
import type { PriceList } from '../rooms/prices.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { type DiskSpace, diskSpace } from '../storage/disk-space.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { EventRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { KeptFor } from './kept-for.ts'
import type { LiveFigures } from './live-figures.ts'
import { type Usage, UsageStatistics } from './usage.ts'

/** One result of the examination of an installation (`parley doctor`). */
export interface Finding {
  status: 'ok' | 'warning' | 'failed'
  subject: string
  detail: string
  advice?: string
}

/** The findings of an examination, and when it was made. */
export interface Checkup {
  /** Unix milliseconds. */
  examinedAt: number
  findings: Finding[]
}

/** Size of the recordings of a project, and what is left on the disk. */
export interface StorageUse {
  recordings: number
  recordingsBytes: number
  freeBytes: number
  totalBytes: number
}

/** A problem with the name of its room, if the session is still known. */
export type Problem = EventRecord & { roomName: string | null }

/** What the dashboard shows besides the lists of the API. */
export interface Dashboard {
  now(projectId: string): Promise<LiveFigures>
  workers(): readonly MediaWorkerState[]
  /** @param hours how far back, with the hour under way */
  usage(projectId: string, hours: number): Promise<Usage>
  storageUse(projectId: string): Promise<StorageUse>
  /** Events that are warnings or errors, newest first. */
  problems(projectId: string, request: ListRequest): Promise<ListPage<Problem>>
  /** @param fresh examines anew, unless an examination is under way */
  checkup(fresh: boolean): Promise<Checkup>
}

export interface DashboardOptions {
  storage: Storage
  sessions: SessionRegistry
  media: Pick<MediaPlane, 'workers'>
  clock: Clock
  prices: PriceList
  /** What happens in a project now. */
  figures: (projectId: string) => Promise<LiveFigures>
  /** Folder of the recordings. */
  folder: string
  /** Examines the installation, outside of this process. */
  examine: () => Promise<Finding[]>
}

const USAGE_KEPT_MS = 2000
const STORAGE_KEPT_MS = 5000
/** An examination writes to the disk and opens ports, so it is not made for every visitor. */
const CHECKUP_KEPT_MS = 60 * 60_000

export function createDashboard(options: DashboardOptions): Dashboard {
  const { storage, sessions, media, clock, figures, folder, examine } = options
  const statistics = new UsageStatistics(options)
  const usages = new KeptFor<Usage>(clock, USAGE_KEPT_MS)
  const uses = new KeptFor<StorageUse>(clock, STORAGE_KEPT_MS)
  const checkups = new KeptFor<Checkup>(clock, CHECKUP_KEPT_MS)
  let isExamining = false

  async function readStorageUse(projectId: string): Promise<StorageUse> {
    const [{ count, bytes }, disk]: [{ count: number; bytes: number }, DiskSpace] = await Promise.all([
      storage.usage.recordingsKept(projectId),
      diskSpace(folder),
    ])
    const { freeBytes, totalBytes } = disk
    return { recordings: count, recordingsBytes: bytes, freeBytes, totalBytes }
  }

  async function examineNow(): Promise<Checkup> {
    isExamining = true
    try {
      return { findings: await examine(), examinedAt: clock.now() }
    } finally {
      isExamining = false
    }
  }

  return {
    now: figures,
    workers: () => media.workers,
    usage: (projectId, hours) =>
      usages.get(`${projectId} ${hours}`, () => statistics.ofLast(projectId, hours)),
    storageUse: (projectId) => uses.get(projectId, () => readStorageUse(projectId)),
    async problems(projectId, request) {
      await sessions.written(projectId)
      const page = await storage.events.listProblems(projectId, request)
      const ids = [...new Set(page.rows.flatMap(({ room_session_id }) => room_session_id ?? []))]
      const known = await storage.sessions.findAll(projectId, ids)
      const nameOf = (id: string | null) => (id === null ? null : (known.get(id)?.name ?? null))
      return { ...page, rows: page.rows.map((row) => ({ ...row, roomName: nameOf(row.room_session_id) })) }
    },
    checkup(fresh) {
      if (fresh && !isExamining) checkups.forget('')
      return checkups.get('', examineNow)
    },
  }
}
