import { useInfiniteQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import type { Room } from '../api/resources.ts'

const refreshMs = 5_000

export interface RoomList {
  /** Rooms in use first, then the newest. Undefined until the first answer. */
  rooms: Room[] | undefined
  error: Error | null
  reload: () => void
  hasMore: boolean
  loadingMore: boolean
  loadMore: () => void
}

/** The project's rooms, refreshed regularly while they are shown. */
export function useRooms(): RoomList {
  const api = useApi()
  const query = useInfiniteQuery({
    queryKey: ['rooms'],
    queryFn: ({ pageParam, signal }) => api.listRooms(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.links.next ?? undefined,
    refetchInterval: refreshMs,
  })
  const rooms = query.data?.pages.flatMap((page) => page.data)
  return {
    rooms: rooms?.toSorted((a, b) => Number(b.active_session !== null) - Number(a.active_session !== null)),
    error: query.error,
    reload: () => void query.refetch(),
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}
