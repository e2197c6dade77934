import type { RoomFilter, RoomRow } from '../../dashboard/room-search.ts'
import { FoundRoom, SearchRoomsQuery } from '../../resources/dashboard-room.ts'
import { formatMoment, formatMomentOrNull } from '../../resources/dates.ts'
import { Page } from '../../resources/paging.ts'
import { type Operation, operation } from '../conventions/operation.ts'

/** `/rooms` and `/conferences`: both kinds of rooms, by how their name or title begins. */
export const roomSearchOperations: Operation[] = [
  searchOperation('room', 'GET /rooms', 'searchRooms', 'Search rooms'),
  searchOperation('conference', 'GET /conferences', 'searchConferences', 'Search conferences'),
]

function searchOperation(
  kind: RoomFilter['kind'],
  route: `GET /${string}`,
  operationId: string,
  summary: string,
): Operation {
  return operation(
    {
      route,
      operationId,
      summary,
      description:
        'Newest first; those that are searched for by name or title. A page may hold fewer than asked for, although there are more. An addition of Parley.',
      tag: 'Dashboard',
      query: SearchRoomsQuery,
      answer: Page(FoundRoom),
    },
    async (request, { roomSearch }) => {
      const filter = { kind, beginning: request.query.beginning ?? '' }
      const page = await roomSearch.list(request.projectId, filter, request.listRequest)
      return { links: request.pageLinks(page, ({ at }) => at), data: page.rows.flatMap(show) }
    },
  )
}

function show({ found }: RoomRow): FoundRoom[] {
  if (!found) return []
  const { room, session } = found
  return [
    {
      id: room.id,
      name: room.name,
      display_name: room.display_name,
      join_from: formatMomentOrNull(room.join_from),
      join_until: formatMomentOrNull(room.join_until),
      created_at: formatMoment(room.created_at),
      active_session_id: session?.id ?? null,
    },
  ]
}
