import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../api/event-stream.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { followStream } from './follow-stream.ts'

/**
 * Keeps what the dashboard shows current by the event stream of the server.
 * @returns false while the stream does not come, so that what is shown may be old
 */
export function useNews({ readStream }: Pick<DashboardAccess, 'readStream'>): boolean {
  const queries = useQueryClient()
  const [isCurrent, setCurrent] = useState(true)
  useEffect(() => {
    const end = new AbortController()
    let hasBegun = false
    const onEvent = (event: StreamEvent) => {
      apply(event, queries)
      // There was a gap: anything may have changed.
      if (event.event === 'snapshot' && hasBegun) void queries.invalidateQueries({ queryKey: keys.all })
      hasBegun = true
    }
    void followStream(readStream, '/api/dashboard/events', onEvent, setCurrent, end.signal)
    return () => end.abort()
  }, [readStream, queries])
  return isCurrent
}

/** The keys of what is read again when a topic changed. */
const KEYS_OF: Readonly<Record<string, readonly (readonly string[])[]>> = {
  rooms: [keys.rooms],
  sessions: [keys.live, keys.sessions, keys.problems],
  recordings: [keys.live, keys.recordings, keys.storage, keys.problems],
  streams: [keys.live, keys.streams, keys.problems],
}

function apply({ event, data }: StreamEvent, queries: QueryClient): void {
  const news: unknown = JSON.parse(data)
  if (event === 'now' || event === 'snapshot') queries.setQueryData(keys.now, news)
  if (event === 'workers') queries.setQueryData(keys.workerLoads, news)
  if (event === 'changed') {
    const { topics } = news as { topics: string[] }
    for (const queryKey of topics.flatMap((topic) => KEYS_OF[topic] ?? [])) {
      void queries.invalidateQueries({ queryKey })
    }
  }
}
