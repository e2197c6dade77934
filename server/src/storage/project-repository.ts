import { columns } from './columns.ts'
import type { ApiTokenRecord, ProjectRecord } from './records.ts'
import type { ApiTokenRepository, ProjectRepository } from './storage.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const projectColumns = columns<ProjectRecord>({})
const apiTokenColumns = columns<ApiTokenRecord>({ scopes: 'json' })

/** Projects in the database. */
export function projectRepository(db: Database): ProjectRepository {
  return {
    async insert(project) {
      const insertion = db.insertInto('projects').values(projectColumns.toRow(project))
      await refusingDuplicates(insertion.execute(), `project ${project.id} exists`)
    },
    async find(id) {
      const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
      return row && projectColumns.fromRow(row)
    },
    async list() {
      const rows = await db.selectFrom('projects').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(projectColumns.fromRow)
    },
  }
}

/** API tokens in the database: their hashes alone. */
export function apiTokenRepository(db: Database): ApiTokenRepository {
  return {
    async insert(token) {
      await db.insertInto('api_tokens').values(apiTokenColumns.toRow(token)).execute()
    },
    async list(projectId) {
      const rows = await db
        .selectFrom('api_tokens')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(apiTokenColumns.fromRow)
    },
    async delete(projectId, id) {
      const result = await db
        .deleteFrom('api_tokens')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}
