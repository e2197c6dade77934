import { type Actor, recordAct } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { Storage } from '../../storage/storage.ts'

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000

/** How long a project keeps its recordings. */
export interface Retention {
  /** @returns days; null for ever. @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string): Promise<number | null>
  /**
   * Sets the rule of a project. It is applied to the recordings that are there, too.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  set(projectId: string, days: number | null, actor: Actor): Promise<number | null>
  /**
   * Counts the recordings that a rule would delete now.
   * @param roomName the rule is for this room; absent for the rule of the project, which leaves rooms with a rule of
   * their own alone
   */
  olderThan(
    projectId: string,
    days: number,
    roomName: string | undefined,
  ): Promise<{ count: number; bytes: number }>
}

export interface RetentionOptions {
  storage: Storage
  clock: Clock
  /** A rule has changed. */
  onChange?: () => void
}

export function createRetention({ storage, clock, onChange }: RetentionOptions): Retention {
  async function find(projectId: string) {
    const project = await storage.projects.find(projectId)
    if (!project) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
    return project
  }

  return {
    get: async (projectId) => (await find(projectId)).recording_retention_days,
    async set(projectId, days, actor) {
      const before = (await find(projectId)).recording_retention_days
      if (before === days) return days
      await storage.transaction(async (tx) => {
        await tx.projects.update(projectId, { recording_retention_days: days })
        const act = { actor, action: 'project.recording_retention', projectId } as const
        await recordAct(tx, { ...act, details: { from: before, to: days } }, clock.now())
      })
      onChange?.()
      return days
    },
    async olderThan(projectId, days, roomName) {
      const before = clock.now() - days * DAY_MS
      if (roomName === undefined) return storage.retention.countFinishedBefore(projectId, before, null)
      const room = await storage.rooms.findByName(projectId, roomName)
      if (!room) return { count: 0, bytes: 0 }
      return storage.retention.countFinishedBefore(projectId, before, room.id)
    },
  }
}
