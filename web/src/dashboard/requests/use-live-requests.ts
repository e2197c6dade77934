import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../api/event-stream.ts'
import { useDashboard } from '../dashboard-context.tsx'
import { followStream } from '../news/follow-stream.ts'
import { type LoggedRequest, REQUESTS_KEY } from './request-queries.ts'

/** Requests that are shown at most: the server keeps no more. */
const KEPT = 1000

/** Requests that came since the screen was opened, oldest first. */
export function useLiveRequests(): readonly LoggedRequest[] {
  const { readStream } = useDashboard()
  const queries = useQueryClient()
  const [news, setNews] = useState<readonly LoggedRequest[]>([])
  useEffect(() => {
    const end = new AbortController()
    const onEvent = ({ event, data }: StreamEvent) => {
      if (event === 'entries') {
        const entries = JSON.parse(data) as LoggedRequest[]
        setNews((before) => [...before, ...entries].slice(-KEPT))
        return
      }
      // The stream has begun, or there were too many: what came meanwhile is in the list.
      setNews([])
      void queries.invalidateQueries({ queryKey: REQUESTS_KEY })
    }
    void followStream(readStream, '/api/dashboard/requests/live', onEvent, () => {}, end.signal)
    return () => end.abort()
  }, [readStream, queries])
  return news
}
