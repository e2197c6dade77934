import { useInfiniteQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import type { ParleyApi } from '../api/parley-api.ts'
import type { Recording } from '../api/resources.ts'

/**
 * Short interval while something is recorded or processed, to notice its end. Otherwise only new recordings are looked
 * for.
 */
const busyRefreshMs = 1_500
const idleRefreshMs = 10_000

interface RecordingPage {
  recordings: Recording[]
  next: string | null
}

export interface RecordingsOfRoom {
  /** Newest first. Undefined until the first answer. */
  recordings: Recording[] | undefined
  error: Error | null
  reload: () => void
  hasMore: boolean
  loadingMore: boolean
  loadMore: () => void
}

/** The query cache's key for a room's recordings. Code that changes the recordings invalidates this key. */
export const recordingsKey = (roomName: string) => ['recordings', roomName] as const

/** The recordings of a room, refreshed regularly. */
export function useRecordings(roomName: string): RecordingsOfRoom {
  const api = useApi()
  const query = useInfiniteQuery({
    queryKey: recordingsKey(roomName),
    queryFn: ({ pageParam, signal }) => recordingsOfSessions(api, roomName, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.recordings.some((one) => one.status !== 'completed'))
        ? busyRefreshMs
        : idleRefreshMs,
  })
  return {
    recordings: query.data?.pages.flatMap((page) => page.recordings),
    error: query.error,
    reload: () => void query.refetch(),
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}

/**
 * The API lists recordings by session, so this fetches a page of the room's sessions and then the recordings of each.
 */
async function recordingsOfSessions(
  api: ParleyApi,
  roomName: string,
  page: string | undefined,
  signal: AbortSignal,
): Promise<RecordingPage> {
  const sessions = await api.listSessions(roomName, page, signal)
  const lists = await Promise.all(
    sessions.data.map((session) => api.listSessionRecordings(session.id, signal)),
  )
  return { recordings: lists.flatMap((list) => list.data), next: sessions.links.next }
}
