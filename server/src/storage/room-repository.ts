import { sql } from 'kysely'
import { roomFields } from '../resources/room-fields.ts'
import { columnsOf } from './columns.ts'
import { compiledInsertion, compiledQuery } from './compiled-query.ts'
import type { RoomRepository } from './interfaces/rooms.ts'
import { readPage } from './keyset.ts'
import { isByName } from './list-order.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const roomColumns = columnsOf(roomFields)

const roomById = compiledQuery((db, projectId: string, id: string) =>
  db.selectFrom('rooms').selectAll().where('project_id', '=', projectId).where('id', '=', id),
)

const roomByName = compiledQuery((db, projectId: string, name: string) =>
  db.selectFrom('rooms').selectAll().where('project_id', '=', projectId).where('name', '=', name),
)

/** Compares with `=`, because `like` treats upper and lower case differently in the two databases. */
function isNamed(pattern: string) {
  if (!pattern.endsWith('*')) return sql<boolean>`name = ${pattern}`
  const beginning = pattern.slice(0, -1)
  return sql<boolean>`substr(name, 1, ${[...beginning].length}) = ${beginning}`
}

const insertRoom = compiledInsertion('rooms')

/** Room definitions in the database. */
export function roomRepository(db: Database): RoomRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('rooms').selectAll().where('project_id', '=', projectId)
  return {
    async insert(room) {
      await refusingDuplicates(insertRoom(db, roomColumns.toRow(room)), `room ${room.name} exists`)
    },
    async find(projectId, id) {
      const [row] = await roomById(db, projectId, id)
      return row && roomColumns.fromRow(row)
    },
    async hold(projectId, id) {
      // An update that changes nothing locks the row in every database, and returns its content.
      const row = await db
        .updateTable('rooms')
        .set(({ ref }) => ({ id: ref('id') }))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && roomColumns.fromRow(row)
    },
    async findByName(projectId, name) {
      const [row] = await roomByName(db, projectId, name)
      return row && roomColumns.fromRow(row)
    },
    async findNames(projectId, ids) {
      if (ids.length === 0) return new Map()
      const query = db.selectFrom('rooms').select(['id', 'name']).where('project_id', '=', projectId)
      return new Map((await query.where('id', 'in', ids).execute()).map(({ id, name }) => [id, name]))
    },
    async findConferenceIds(projectId, ids) {
      if (ids.length === 0) return new Set()
      const rows = await db
        .selectFrom('rooms')
        .select('id')
        .where('project_id', '=', projectId)
        .where('id', 'in', ids)
        .where('conference', 'is not', null)
        .execute()
      return new Set(rows.map(({ id }) => id))
    },
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('rooms')
        .set(roomColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && roomColumns.fromRow(row)
    },
    async delete(projectId, id) {
      const result = await db
        .deleteFrom('rooms')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async list(projectId, { kind = 'room', names, displayName, startsAfter, endsBefore }, request) {
      let query = ofProject(projectId)
      // Uses the same condition as the partial index that holds only this kind.
      if (kind !== 'any') query = query.where('conference', kind === 'room' ? 'is' : 'is not', null)
      if (names) query = query.where((eb) => eb.or(names.map(isNamed)))
      if (displayName !== undefined) {
        // With a plain `=`, PostgreSQL expects so few rows that it reads and sorts all of them.
        query = query.where(
          sql<boolean>`case when coalesce(display_name, name) = ${displayName} then 1 else 0 end > 0`,
        )
      }
      if (startsAfter !== undefined) query = query.where('join_from', '>=', startsAfter)
      if (endsBefore !== undefined) query = query.where('join_until', '<=', endsBefore)
      const { order = 'newest-first' } = request
      const page = await readPage(db, query, isByName(order) ? 'name' : 'created_at', order, request)
      return { ...page, rows: page.rows.map(roomColumns.fromRow) }
    },
  }
}
