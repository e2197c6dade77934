import { columns } from './columns.ts'
import type { ConferenceTokenRepository } from './interfaces/rooms.ts'
import { readPage } from './keyset.ts'
import type { ConferenceTokenRecord } from './records.ts'
import type { Database } from './tables.ts'

const tokenColumns = columns<ConferenceTokenRecord>({ scopes: 'json' })

/** Conference tokens in the database: encrypted, with their hashes. */
export function conferenceTokenRepository(db: Database): ConferenceTokenRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('conference_tokens').selectAll().where('project_id', '=', projectId)
  return {
    async insert(token) {
      await db.insertInto('conference_tokens').values(tokenColumns.toRow(token)).execute()
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && tokenColumns.fromRow(row)
    },
    async findByHash(hash) {
      const query = db.selectFrom('conference_tokens').selectAll().where('hash', '=', hash)
      const row = await query.executeTakeFirst()
      return row && tokenColumns.fromRow(row)
    },
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('conference_tokens')
        .set(tokenColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && tokenColumns.fromRow(row)
    },
    async list(projectId, conferenceId, request) {
      const query = ofProject(projectId).where('conference_id', '=', conferenceId)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(tokenColumns.fromRow) }
    },
  }
}
