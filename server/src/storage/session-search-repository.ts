import { sql } from 'kysely'
import type { SessionSearchRepository } from './interfaces/sessions.ts'
import { readPageWithin } from './keyset.ts'
import type { Database } from './tables.ts'

/** Behind every text that begins with the same letters: the largest character of Unicode. */
const LAST = '\u{10FFFF}'
const lowerName = sql<string>`lower(name)`

/** Finds sessions by names, each time by steps within an index. */
export function sessionSearchRepository(db: Database): SessionSearchRepository {
  /** The next room name. It jumps over all other sessions of the same name. */
  async function roomNameFrom(projectId: string, from: string, until: string, isAfter: boolean) {
    const row = await db
      .selectFrom('room_sessions')
      .select('name')
      .where('project_id', '=', projectId)
      .where('name', isAfter ? '>' : '>=', from)
      .where('name', '<', until)
      .orderBy('name')
      .limit(1)
      .executeTakeFirst()
    return row && { key: row.name, name: row.name }
  }

  async function personFrom(projectId: string, from: string, until: string, isAfter: boolean) {
    const row = await db
      .selectFrom('room_members')
      .select(['name', lowerName.as('key')])
      .where('project_id', '=', projectId)
      .where('parent_id', 'is', null)
      .where(lowerName, isAfter ? '>' : '>=', from)
      .where(lowerName, '<', until)
      .orderBy(lowerName)
      .limit(1)
      .executeTakeFirst()
    return row && { key: row.key, name: row.name }
  }

  async function walk(step: typeof personFrom, projectId: string, beginning: string, limit: number) {
    const names: string[] = []
    let from = beginning
    while (names.length < limit) {
      const found = await step(projectId, from, beginning + LAST, names.length > 0)
      if (!found) break
      names.push(found.name)
      from = found.key
    }
    return names
  }

  return {
    roomNames: (projectId, beginning, limit) => walk(roomNameFrom, projectId, beginning, limit),
    personNames: (projectId, beginning, limit) => walk(personFrom, projectId, beginning.toLowerCase(), limit),
    visits(projectId, { person, ...span }, request) {
      const query = db
        .selectFrom('room_members')
        .select(['id', 'join_time', 'room_session_id'])
        .where('project_id', '=', projectId)
        .where('parent_id', 'is', null)
        .where(lowerName, '=', person.toLowerCase())
      return readPageWithin(db, query, 'join_time', span, request)
    },
    async counts(projectId, sessionIds) {
      if (sessionIds.length === 0) return new Map()
      const [people, recordings] = await Promise.all([
        db
          .selectFrom('room_members')
          .select(['room_session_id', sql<number | string>`count(*)`.as('count')])
          .where('project_id', '=', projectId)
          .where('room_session_id', 'in', sessionIds)
          .where('parent_id', 'is', null)
          .groupBy('room_session_id')
          .execute(),
        db
          .selectFrom('room_recordings')
          .select(['room_session_id', sql<number | string>`count(*)`.as('count')])
          .where('project_id', '=', projectId)
          .where('room_session_id', 'in', sessionIds)
          .groupBy('room_session_id')
          .execute(),
      ])
      const countIn = (rows: typeof people, id: string) =>
        Number(rows.find((row) => row.room_session_id === id)?.count ?? 0)
      return new Map(
        sessionIds.map((id) => [id, { people: countIn(people, id), recordings: countIn(recordings, id) }]),
      )
    },
  }
}
