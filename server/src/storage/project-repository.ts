import { sql } from 'kysely'
import { columns } from './columns.ts'
import { compiledQuery, directQueriesOf } from './compiled-query.ts'
import type { ApiTokenRepository, ProjectRepository } from './interfaces/projects.ts'
import type { ApiTokenRecord, ProjectRecord } from './records.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const projectColumns = columns<ProjectRecord>({ subscriber_rooms: 'json' })
const apiTokenColumns = columns<ApiTokenRecord>({ scopes: 'json' })

const projectById = compiledQuery((db, id: string) =>
  db.selectFrom('projects').selectAll().where('id', '=', id),
)

/** Projects in the database. */
export function projectRepository(db: Database): ProjectRepository {
  async function empty(id: string): Promise<void> {
    for (const { name, hasIds } of await tablesOfProjects(db)) {
      // A table without ids is small. Its rows are deleted with the project itself.
      if (hasIds) await deleteInPortions(db, name, id)
    }
  }

  return {
    async insert(project) {
      const row = projectColumns.toRow({
        space: null,
        subscriber_rooms: null,
        recording_retention_days: null,
        recording_quota_bytes: null,
        ...project,
      })
      const insertion = db.insertInto('projects').values(row)
      await refusingDuplicates(insertion.execute(), `project ${project.id} exists`)
    },
    async find(id) {
      const [row] = await projectById(db, id)
      return row && projectColumns.fromRow(row)
    },
    async update(id, changes) {
      const row = await db
        .updateTable('projects')
        .set(projectColumns.toPartialRow(changes))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && projectColumns.fromRow(row)
    },
    async list() {
      const rows = await db.selectFrom('projects').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(projectColumns.fromRow)
    },
    empty,
    async delete(id) {
      await empty(id)
      const result = await db.deleteFrom('projects').where('id', '=', id).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}

/** Rows per statement. Small enough not to delay other writers noticeably. */
const PORTION = 1000

async function tablesOfProjects(db: Database): Promise<{ name: string; hasIds: boolean }[]> {
  const tables = (await db.introspection.getTables()).map((table) => ({
    name: table.name,
    columns: new Set(table.columns.map((column) => column.name)),
  }))
  return tables
    .filter(({ columns }) => columns.has('project_id'))
    .map(({ name, columns }) => ({ name, hasIds: columns.has('id') }))
}

async function deleteInPortions(db: Database, table: string, projectId: string): Promise<void> {
  const some = sql`select id from ${sql.table(table)} where project_id = ${projectId} limit ${PORTION}`
  const portion = sql`delete from ${sql.table(table)} where id in (${some})`
  let deleted: bigint | undefined
  do deleted = (await portion.execute(db)).numAffectedRows
  while (deleted)
}

const tokensOfProject = compiledQuery((db, projectId: string) =>
  db.selectFrom('api_tokens').selectAll().where('project_id', '=', projectId),
)

/** API tokens in the database. Only their hashes are stored. */
export function apiTokenRepository(db: Database): ApiTokenRepository {
  return {
    async insert(token) {
      await db.insertInto('api_tokens').values(apiTokenColumns.toRow(token)).execute()
    },
    async list(projectId) {
      const tokens = (await tokensOfProject(db, projectId)).map(apiTokenColumns.fromRow)
      // Sorted here, because each request reads them and SQLite takes three times as long to sort them.
      return tokens.sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
    },
    version: () => directQueriesOf(db)?.version(),
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('api_tokens')
        .set(apiTokenColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && apiTokenColumns.fromRow(row)
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
