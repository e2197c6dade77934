import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { ParleyError } from '../errors/parley-error.ts'
import { newId } from '../ids.ts'
import type { ProjectRecord } from '../storage/records.ts'
import { type ListCursor, type Storage, UniqueViolation } from '../storage/storage.ts'

/** The projects of this server. */
export interface Projects {
  /**
   * @param id 1 to 100 letters, digits, hyphens and underscores; a new UUID where there is none
   * @throws ParleyError `value_not_unique` when there is a project with that id, `invalid_parameter`
   */
  create(name: string, id?: string): Promise<ProjectRecord>
  /** Oldest first. */
  list(): Promise<ProjectRecord[]>
  /** How many sessions of it are in progress. */
  sessionsInProgress(id: string): Promise<number>
  /**
   * Deletes a project with its tokens, rooms, sessions, their history, and the recorded files.
   * @throws ParleyError `provided_id_is_unrecognized`, `invalid_state` while a session of it is in progress
   */
  delete(id: string): Promise<void>
}

export interface ProjectsOptions {
  storage: Storage
  clock: Clock
  /** Where the files of recordings lie. */
  recordingsFolder: string
}

const LONGEST_NAME = 200
/** Recordings whose files are deleted between two looks at the database. */
const PORTION = 500

const invalid = (attribute: string, message: string) =>
  new ParleyError('invalid', { code: 'invalid_parameter', attribute, message })

export function createProjects({ storage, clock, recordingsFolder }: ProjectsOptions): Projects {
  async function sessionsInProgress(id: string): Promise<number> {
    return (await storage.sessions.listInterrupted()).filter((session) => session.project_id === id).length
  }

  async function deleteFiles(projectId: string): Promise<void> {
    let cursor: ListCursor | undefined
    for (;;) {
      const { rows, hasNext } = await storage.recordings.list(projectId, {}, { limit: PORTION, cursor })
      for (const { file } of rows) await rm(join(recordingsFolder, file), { force: true })
      const last = rows.at(-1)
      if (!last || !hasNext) return
      cursor = { at: last.created_at, id: last.id, direction: 'after' }
    }
  }

  return {
    async create(name, id = newId()) {
      const length = [...name].length
      if (length < 1 || length > LONGEST_NAME) throw invalid('name', 'must have 1 to 200 characters')
      if (!/^[A-Za-z0-9_-]{1,100}$/.test(id)) {
        throw invalid('id', 'must have 1 to 100 letters, digits, hyphens and underscores')
      }
      const project = { id, name, created_at: clock.now() }
      try {
        await storage.projects.insert(project)
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error
        throw new ParleyError('invalid', { code: 'value_not_unique', attribute: 'id' }, { cause: error })
      }
      return project
    },
    list: () => storage.projects.list(),
    sessionsInProgress,
    async delete(id) {
      if (!(await storage.projects.find(id))) {
        throw new ParleyError('not_found', { code: 'provided_id_is_unrecognized', attribute: 'id' })
      }
      if ((await sessionsInProgress(id)) > 0) {
        throw new ParleyError('invalid', { code: 'invalid_state', attribute: 'id' })
      }
      // Tokens first, so that nobody starts anything in it any more.
      for (const token of await storage.apiTokens.list(id)) await storage.apiTokens.delete(id, token.id)
      // Files before their records: what an interruption leaves behind can still be found and deleted.
      await deleteFiles(id)
      await storage.projects.delete(id)
    },
  }
}
