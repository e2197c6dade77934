import { sql } from 'kysely'
import { sessionFields } from '../resources/room-session.ts'
import { columnsOf } from './columns.ts'
import { compiledQuery } from './compiled-query.ts'
import type { SessionRepository } from './interfaces/sessions.ts'
import { readPageWithin } from './keyset.ts'
import type { SessionRecord } from './records.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const sessionColumns = columnsOf(sessionFields)

/** Written as a literal, because a query with a parameter cannot use an index that holds only open rows. */
const inProgress = sql<boolean>`status = 'in-progress'`

const activeByName = compiledQuery((db, projectId: string, name: string) =>
  db
    .selectFrom('room_sessions')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where(inProgress),
)

/** Room sessions in the database. */
export function sessionRepository(db: Database): SessionRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('room_sessions').selectAll().where('project_id', '=', projectId)
  const allInProgress = db.selectFrom('room_sessions').selectAll().where(inProgress).orderBy('created_at')
  return {
    async insert(session) {
      const insertion = db.insertInto('room_sessions').values(sessionColumns.toRow(session))
      await refusingDuplicates(insertion.execute(), `a session of ${session.name} is in progress`)
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && sessionColumns.fromRow(row)
    },
    async findAll(projectId, ids) {
      if (ids.length === 0) return new Map()
      const rows = await ofProject(projectId).where('id', 'in', ids).execute()
      return new Map(rows.map((row) => [row.id, sessionColumns.fromRow(row)]))
    },
    async findActiveByName(projectId, name) {
      const [row] = await activeByName(db, projectId, name)
      return row && sessionColumns.fromRow(row)
    },
    async findActiveByRooms(projectId, roomIds) {
      const active = new Map<string, SessionRecord>()
      if (roomIds.length === 0) return active
      const rows = await ofProject(projectId).where('room_id', 'in', roomIds).where(inProgress).execute()
      for (const row of rows) if (row.room_id) active.set(row.room_id, sessionColumns.fromRow(row))
      return active
    },
    async update(projectId, id, changes) {
      await db
        .updateTable('room_sessions')
        .set(sessionColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
    async list(projectId, filter, request) {
      let query = ofProject(projectId)
      if (filter.roomId !== undefined) query = query.where('room_id', '=', filter.roomId)
      if (filter.roomName !== undefined) query = query.where('name', '=', filter.roomName)
      if (filter.status !== undefined) {
        // A room has few sessions, a status has many. `coalesce` keeps the database from using the index on the
        // status if the query names a room.
        const isOfOneRoom = filter.roomId !== undefined || filter.roomName !== undefined
        const status = isOfOneRoom ? sql`coalesce(status, '')` : sql.ref('status')
        query = query.where(sql<boolean>`${status} = ${filter.status}`)
      }
      if (filter.roomNameMatches) {
        // Unlike LIKE, this has no wildcards and is case-sensitive in every database.
        query = query.where(sql<boolean>`replace(name, ${filter.roomNameMatches}, '') <> name`)
      }
      const page = await readPageWithin(db, query, 'created_at', filter, request)
      return { ...page, rows: page.rows.map(sessionColumns.fromRow) }
    },
    async listInProgress() {
      const rows = await allInProgress.execute()
      return rows.map(sessionColumns.fromRow)
    },
    async listSilent(before) {
      const rows = await allInProgress.where('alive_at', '<', before).execute()
      return rows.map(sessionColumns.fromRow)
    },
    async ownersInProgress(projectId) {
      const rows = await db
        .selectFrom('room_sessions')
        .select('owner_node')
        .distinct()
        .where('project_id', '=', projectId)
        .where(inProgress)
        .execute()
      return rows.flatMap(({ owner_node }) => owner_node ?? [])
    },
    async complete(projectId, id, changes) {
      const { numUpdatedRows } = await db
        .updateTable('room_sessions')
        .set({ ...sessionColumns.toPartialRow(changes), status: 'completed' })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where(inProgress)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async isStillOf(projectId, id, ownerRevision) {
      // An update locks the row in every database.
      const { numUpdatedRows } = await db
        .updateTable('room_sessions')
        .set({ owner_revision: ownerRevision })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where('owner_revision', '<=', ownerRevision)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async ownerOf(id) {
      const row = await db
        .selectFrom('room_sessions')
        .select(['owner_node', 'owner_revision'])
        .where('id', '=', id)
        .where(inProgress)
        .executeTakeFirst()
      return row && { node: row.owner_node, revision: row.owner_revision }
    },
    async touch(ids, at) {
      if (ids.length === 0) return
      await db
        .updateTable('room_sessions')
        .set({ alive_at: at })
        .where('id', 'in', ids)
        .where(inProgress)
        .execute()
    },
  }
}
