import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { SPACE_NAME } from '../space-of-host.ts'
import type { RemovedFile } from '../storage/interfaces/recordings.ts'
import type { ProjectRecord, RecordingRecord } from '../storage/records.ts'
import { type Repositories, type Storage, UniqueViolation } from '../storage/storage.ts'
import { checkName } from './names.ts'

/** The projects of this server. */
export interface Projects {
  /**
   * @param id 1 to 100 letters, digits, hyphens and underscores; by default a new UUID
   * @param space a label of a host name; absent for a project outside of all spaces
   * @throws Refusal `value_not_unique` when a project with that id exists, `invalid_parameter`
   */
  create(name: string, id?: string, space?: string): Promise<ProjectRecord>
  /** Oldest first. */
  list(): Promise<ProjectRecord[]>
  find(id: string): Promise<ProjectRecord | undefined>
  /**
   * Moves a project into a space, or out of all spaces. From then on its credentials work there and nowhere else.
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_parameter`
   */
  move(id: string, space: string | null): Promise<ProjectRecord>
  /**
   * Sets which rooms and conferences the project's subscribers and their guests see.
   * @param rooms names, or prefixes of names followed by `*`; null for all
   * @throws Refusal `provided_id_is_unrecognized`
   */
  openRooms(id: string, rooms: readonly string[] | null): Promise<ProjectRecord>
  /** Number of sessions of the project that are in progress. */
  sessionsInProgress(id: string): Promise<number>
  /**
   * Deletes a project with its tokens, rooms, sessions, their history, and the recorded files.
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_state` while a session of it is in progress
   */
  delete(id: string): Promise<void>
}

export interface ProjectsOptions {
  storage: Storage
  clock: Clock
  /** Author of the changes, for the audit log. */
  actor: Actor
  /** Deletes recordings with their files. */
  removal: {
    deleteRecord(tx: Repositories, recording: RecordingRecord): Promise<RemovedFile[] | null>
    removeFiles(files: readonly RemovedFile[]): Promise<void>
  }
}

/** Recordings that are deleted in one transaction. */
const PORTION = 20

const invalid = (attribute: string, message: string) =>
  new Refusal('invalid_parameter', { attribute, message })

const unrecognized = () => new Refusal('provided_id_is_unrecognized', { attribute: 'id' })

function checkedSpace(space: string | null): string | null {
  if (space === null || SPACE_NAME.test(space.toLowerCase())) return space?.toLowerCase() ?? null
  throw invalid('space', 'must be 1 to 63 letters, digits and hyphens, as in a host name')
}

export function createProjects({ storage, clock, actor, removal }: ProjectsOptions): Projects {
  async function sessionsInProgress(id: string): Promise<number> {
    return (await storage.sessions.listInProgress()).filter((session) => session.project_id === id).length
  }

  async function deleteRecordings(projectId: string): Promise<void> {
    for (;;) {
      const { rows } = await storage.recordings.list(projectId, {}, { limit: PORTION })
      if (rows.length === 0) return
      const files = await storage.transaction(async (tx) => {
        const removed: RemovedFile[] = []
        for (const recording of rows) removed.push(...((await removal.deleteRecord(tx, recording)) ?? []))
        return removed
      })
      await removal.removeFiles(files)
    }
  }

  return {
    async create(name, id = newId(), space) {
      checkName(name)
      if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) {
        throw invalid('id', 'must have 1 to 100 letters, digits, hyphens and underscores')
      }
      const project: ProjectRecord = {
        id,
        name,
        space: checkedSpace(space ?? null),
        subscriber_rooms: null,
        recording_retention_days: null,
        recording_quota_bytes: null,
        created_at: clock.now(),
      }
      try {
        await storage.transaction(async (tx) => {
          await tx.projects.insert(project)
          const details = { name, space: project.space }
          await recordAct(tx, { actor, action: 'project.create', projectId: id, details }, project.created_at)
        })
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error
        throw new Refusal('value_not_unique', { attribute: 'id', cause: error })
      }
      return project
    },
    list: () => storage.projects.list(),
    find: (id) => storage.projects.find(id),
    async move(id, space) {
      const changes = { space: checkedSpace(space) }
      return storage.transaction(async (tx) => {
        const before = await tx.projects.find(id)
        const moved = before && (await tx.projects.update(id, changes))
        if (!moved) throw unrecognized()
        const details = { from: before.space, to: moved.space }
        await recordAct(tx, { actor, action: 'project.move', projectId: id, details }, clock.now())
        return moved
      })
    },
    openRooms(id, rooms) {
      return storage.transaction(async (tx) => {
        const changed = await tx.projects.update(id, { subscriber_rooms: rooms && [...rooms] })
        if (!changed) throw unrecognized()
        const details = { rooms: rooms ?? 'all' }
        await recordAct(tx, { actor, action: 'project.open_rooms', projectId: id, details }, clock.now())
        return changed
      })
    },
    sessionsInProgress,
    async delete(id) {
      const project = await storage.projects.find(id)
      if (!project) throw unrecognized()
      if ((await sessionsInProgress(id)) > 0) {
        throw new Refusal('invalid_state', { attribute: 'id' })
      }
      const act = { actor, projectId: id, details: { name: project.name } }
      // Tokens are deleted first, so that nobody starts anything in the project any more.
      await storage.transaction(async (tx) => {
        for (const token of await tx.apiTokens.list(id)) await tx.apiTokens.delete(id, token.id)
        await recordAct(tx, { ...act, action: 'project.delete_begin' }, clock.now())
      })
      await deleteRecordings(id)
      // This is not one transaction, because that would block all other writes until it ends.
      await storage.projects.empty(id)
      await storage.transaction(async (tx) => {
        await tx.projects.delete(id)
        await recordAct(tx, { ...act, action: 'project.delete' }, clock.now())
      })
    },
  }
}
