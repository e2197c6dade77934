import { readInOrder } from '../rooms/merged-list.ts'
import type { FoundByName } from '../storage/interfaces/rooms.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { RoomRecord, SessionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** Which rooms are listed: rooms or conferences, and how their name or title begins. */
export interface RoomFilter {
  kind: 'room' | 'conference'
  /** Empty: all of them. */
  beginning: string
}

/** A row of the list: its place, and the room; null for a room that is in the list already. */
export interface RoomRow {
  id: string
  /** Unix milliseconds of its creation; when something is searched, the name or title by which it was found. */
  at: number | string
  found: { room: RoomRecord; session: SessionRecord | null } | null
}

/** Lists the rooms and conferences of a project. Each page costs the same, however many there are. */
export interface RoomSearch {
  /** Newest first; by name or title when something is searched. Then a page may hold fewer than asked for. */
  list(projectId: string, filter: RoomFilter, request: ListRequest): Promise<ListPage<RoomRow>>
}

/** Creates the search. */
export function createRoomSearch({
  storage,
}: {
  storage: Pick<Storage, 'rooms' | 'roomSearch' | 'sessions'>
}): RoomSearch {
  const { rooms, roomSearch, sessions } = storage

  async function withSessions(projectId: string, found: readonly RoomRecord[]) {
    const active = await sessions.findActiveByRooms(
      projectId,
      found.map(({ id }) => id),
    )
    return new Map(found.map((room) => [room.id, { room, session: active.get(room.id) ?? null }]))
  }

  async function search(projectId: string, filter: RoomFilter, request: ListRequest) {
    const lists = (['name', 'title'] as const).map(
      (by) => (one: ListRequest) => roomSearch.list(projectId, { ...filter, by }, one),
    )
    const page = await readInOrder(lists, byKey, request)
    const shown = page.rows.filter(({ isFirst }) => isFirst)
    const found = await withSessions(
      projectId,
      shown.map(({ room }) => room),
    )
    const rows = page.rows.map(({ id, key, isFirst }) => ({
      id,
      at: key,
      found: (isFirst && found.get(id)) || null,
    }))
    return { ...page, rows }
  }

  return {
    async list(projectId, filter, request) {
      if (filter.beginning !== '') return search(projectId, filter, request)
      const page = await rooms.list(projectId, { kind: filter.kind }, request)
      const found = await withSessions(projectId, page.rows)
      const rows = page.rows.map(({ id, created_at }) => ({
        id,
        at: created_at,
        found: found.get(id) ?? null,
      }))
      return { ...page, rows }
    },
  }
}

/** As the databases order texts: byte by byte in UTF-8, which is the order of code points. */
function byKey(one: FoundByName, other: FoundByName): number {
  if (one.key === other.key) return one.id < other.id ? -1 : 1
  return Buffer.compare(Buffer.from(one.key), Buffer.from(other.key))
}
