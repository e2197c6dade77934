import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import type { StreamEvent } from '../../api/event-stream.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'

/** Waits between attempts to read the stream, in milliseconds. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/**
 * Keeps what the dashboard shows current by the event stream of the server.
 * @returns false while the stream does not come, so that what is shown may be old
 */
export function useNews({ readNews }: DashboardAccess): boolean {
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
    void follow(readNews, onEvent, setCurrent, end.signal)
    return () => end.abort()
  }, [readNews, queries])
  return isCurrent
}

async function follow(
  readNews: DashboardAccess['readNews'],
  onEvent: (event: StreamEvent) => void,
  onState: (isCurrent: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | null = null
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    const ended = await readNews(
      lastId,
      (event) => {
        lastId = event.lastId
        waitMs = FIRST_WAIT_MS
        onState(true)
        onEvent(event)
      },
      signal,
    ).then(
      () => null,
      (error: unknown) => error,
    )
    if (signal.aborted) return
    // The requests of the screens say that the credentials are refused.
    if (ended instanceof ApiError && (ended.status === 401 || ended.status === 403)) return onState(false)
    if (ended !== null) onState(false)
    await waited(ended === null ? FIRST_WAIT_MS : waitMs, signal)
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
  }
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** The keys of what is read again when a topic changed. */
const KEYS_OF: Readonly<Record<string, readonly (readonly string[])[]>> = {
  rooms: [keys.rooms],
  sessions: [keys.sessions, keys.problems],
  recordings: [keys.recordings, keys.storage, keys.problems],
  streams: [keys.streams, keys.problems],
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
