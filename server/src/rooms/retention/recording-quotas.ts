import type { Logger } from 'pino'
import { type Actor, recordAct } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { Storage } from '../../storage/storage.ts'

/** Shares of a quota, in percent, at which somebody should know. */
const TOLD_AT = [100, 80] as const

/** What the recordings of a project may take, and do. */
export interface QuotaState {
  /** Null without a limit. */
  quotaBytes: number | null
  usedBytes: number
  recordings: number
}

/** How much the recordings of each project may take. */
export interface RecordingQuotas {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string): Promise<QuotaState>
  /** @throws Refusal `provided_id_is_unrecognized` */
  set(projectId: string, bytes: number | null, actor: Actor): Promise<QuotaState>
  /** @throws Refusal `recordings_full` when nothing more may be recorded */
  check(projectId: string): Promise<void>
  /**
   * A recording of that size was added.
   * @returns the share that was passed by it, with what the event about it has; null for none
   */
  passed(
    storage: Pick<Storage, 'projects' | 'usage'>,
    projectId: string,
    addedBytes: number,
  ): Promise<{ percent: number; used_in_bytes: number; quota_in_bytes: number } | null>
}

export interface RecordingQuotasOptions {
  storage: Storage
  clock: Clock
  log: Logger
}

export function createRecordingQuotas({ storage, clock, log }: RecordingQuotasOptions): RecordingQuotas {
  async function get(projectId: string): Promise<QuotaState> {
    const project = await storage.projects.find(projectId)
    if (!project) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
    const { count, bytes } = await storage.usage.recordingsKept(projectId)
    return { quotaBytes: project.recording_quota_bytes, usedBytes: bytes, recordings: count }
  }

  return {
    get,
    async set(projectId, bytes, actor) {
      const { quotaBytes: before } = await get(projectId)
      if (before !== bytes) {
        await storage.transaction(async (tx) => {
          await tx.projects.update(projectId, { recording_quota_bytes: bytes })
          const act = { actor, action: 'project.recording_quota', projectId } as const
          await recordAct(tx, { ...act, details: { from: before, to: bytes } }, clock.now())
        })
      }
      return get(projectId)
    },
    async check(projectId) {
      const quota = (await storage.projects.find(projectId))?.recording_quota_bytes ?? null
      if (quota === null) return
      const { bytes } = await storage.usage.recordingsKept(projectId)
      if (bytes < quota) return
      log.error({ projectId, bytes, quota }, 'recording refused: the quota of the project is used up')
      throw new Refusal('recordings_full')
    },
    async passed(tx, projectId, addedBytes) {
      const quota = (await tx.projects.find(projectId))?.recording_quota_bytes ?? null
      if (quota === null) return null
      const { bytes } = await tx.usage.recordingsKept(projectId)
      const before = bytes - addedBytes
      const percent = TOLD_AT.find((share) => before * 100 < quota * share && bytes * 100 >= quota * share)
      if (percent === undefined) return null
      log.warn({ projectId, bytes, quota, percent }, 'recordings of a project take most of their quota')
      return { percent, used_in_bytes: bytes, quota_in_bytes: quota }
    },
  }
}
