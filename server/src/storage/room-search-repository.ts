import { sql } from 'kysely'
import { roomFields } from '../resources/room-fields.ts'
import { columnsOf } from './columns.ts'
import type { RoomSearchRepository } from './interfaces/rooms.ts'
import { readPage } from './keyset.ts'
import type { ListCursor } from './list-page.ts'
import type { Database } from './tables.ts'

const roomColumns = columnsOf(roomFields)
const KEYS = { name: sql<string>`lower(name)`, title: sql<string>`lower(display_name)` } as const

/** Small letters, as both databases make them: from A to Z alone. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Finds rooms and conferences by names, within the indexes of migration 0030. */
export function roomSearchRepository(db: Database): RoomSearchRepository {
  return {
    async list(projectId, { kind, by, beginning }, request) {
      const start = lower(beginning)
      const key = KEYS[by]
      let query = db
        .selectFrom('rooms')
        .selectAll()
        .select(key.as('key'))
        .where('project_id', '=', projectId)
        .where('conference', kind === 'room' ? 'is' : 'is not', null)
      if (by === 'title') query = query.where(sql<boolean>`lower(display_name) <> lower(name)`)
      // The beginning is a place in the list, and cuts its pages: see `readPageWithin`.
      const place: ListCursor = { at: start, id: '', direction: 'after' }
      const page = await readPage(db, query, key, 'oldest-first', {
        ...request,
        cursor: request.cursor ?? place,
      })
      const found = page.rows.filter((row) => row.key.startsWith(start))
      const isCut = found.length < page.rows.length
      const isBackwards = request.cursor?.direction === 'before'
      return {
        rows: found.map(({ key: at, ...row }) => {
          const other = lower((by === 'name' ? row.display_name : row.name) ?? '')
          const isFirst =
            !other.startsWith(start) || comesBefore(at, other) || (by === 'name' && at === other)
          return { id: row.id, room: roomColumns.fromRow(row), key: at, isFirst }
        }),
        hasPrevious: page.hasPrevious && request.cursor !== undefined && !(isBackwards && isCut),
        hasNext: page.hasNext && (isBackwards || !isCut),
      }
    },
  }
}

/** As databases compare: byte by byte in UTF-8. */
const comesBefore = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
