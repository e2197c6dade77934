import type { LiveSessions } from '../rooms/live-sessions.ts'
import type { RoomSessions, WithCost } from '../rooms/room-sessions.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { SessionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** What sessions are looked for by. Times are Unix milliseconds. */
export interface SessionFilter {
  /** Exact name of the room. */
  roomName?: string | undefined
  /** Name of somebody who was there, in small or capital letters. */
  person?: string | undefined
  /** Sessions that began at that time or later; with `person`, that she joined then. */
  since?: number | undefined
  /** Sessions that began before. */
  until?: number | undefined
  status?: SessionRecord['status'] | undefined
}

/** A session with what a list shows of it. */
export interface FoundSession {
  session: WithCost<SessionRecord>
  people: number
  recordings: number
}

/** A row of the list: its place, and the session; null for a session that is in the list already, or filtered out. */
export interface SearchRow {
  id: string
  at: number
  found: FoundSession | null
}

/** Finds sessions of a project. Each page costs the same, however many sessions there are. */
export interface SessionSearch {
  /** Newest first. A page may hold fewer sessions than asked for, although there are more. */
  list(projectId: string, filter: SessionFilter, request: ListRequest): Promise<ListPage<SearchRow>>
  /** Names of rooms and people that begin like this, in the order of the alphabet. */
  names(projectId: string, beginning: string): Promise<{ rooms: string[]; people: string[] }>
}

export interface SessionSearchOptions {
  storage: Pick<Storage, 'sessionSearch'>
  sessions: Pick<LiveSessions, 'written'>
  roomSessions: Pick<RoomSessions, 'list' | 'withCosts'>
}

const NAMES = 6

/** Creates the search. It reads storage alone, after what has happened so far is written. */
export function createSessionSearch({
  storage,
  sessions,
  roomSessions,
}: SessionSearchOptions): SessionSearch {
  const { sessionSearch } = storage

  async function describe(projectId: string, found: readonly WithCost<SessionRecord>[]) {
    const counts = await sessionSearch.counts(
      projectId,
      found.map(({ id }) => id),
    )
    return new Map(
      found.map((session) => {
        const { people = 0, recordings = 0 } = counts.get(session.id) ?? {}
        return [session.id, { session, people, recordings }]
      }),
    )
  }

  async function listVisits(
    projectId: string,
    filter: SessionFilter & { person: string },
    request: ListRequest,
  ) {
    const page = await sessionSearch.visits(projectId, filter, request)
    const ids = [...new Set(page.rows.map(({ room_session_id }) => room_session_id))]
    const wanted = (await roomSessions.withCosts(projectId, ids)).filter(
      ({ name, status }) =>
        (filter.roomName === undefined || filter.roomName === name) &&
        (filter.status === undefined || filter.status === status),
    )
    const described = await describe(projectId, wanted)
    const rows = page.rows.map(({ id, join_time, room_session_id }) => {
      const found = described.get(room_session_id) ?? null
      // Somebody may have come several times.
      described.delete(room_session_id)
      return { id, at: join_time, found }
    })
    return { ...page, rows }
  }

  return {
    async list(projectId, { person, ...filter }, request) {
      await sessions.written(projectId)
      if (person !== undefined) return listVisits(projectId, { ...filter, person }, request)
      const page = await roomSessions.list(projectId, filter, request)
      const described = await describe(projectId, page.rows)
      const rows = page.rows.map(({ id, created_at }) => ({
        id,
        at: created_at,
        found: described.get(id) ?? null,
      }))
      return { ...page, rows }
    },
    async names(projectId, beginning) {
      const [rooms, people] = await Promise.all([
        sessionSearch.roomNames(projectId, beginning, NAMES),
        sessionSearch.personNames(projectId, beginning, NAMES),
      ])
      return { rooms, people }
    },
  }
}
