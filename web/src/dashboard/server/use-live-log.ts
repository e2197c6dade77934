import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../api/event-stream.ts'
import { useDashboard } from '../dashboard-context.tsx'
import { followStream } from '../news/follow-stream.ts'
import { LOG_KEY, type LogEntry } from './server-queries.ts'

/** Lines that are shown at most: the server keeps no more. */
const KEPT = 1000

/** Lines that came since the screen was opened, oldest first. */
export function useLiveLog(): readonly LogEntry[] {
  const { readStream } = useDashboard()
  const queries = useQueryClient()
  const [news, setNews] = useState<readonly LogEntry[]>([])
  useEffect(() => {
    const end = new AbortController()
    const onEvent = ({ event, data }: StreamEvent) => {
      if (event === 'entries') {
        const entries = JSON.parse(data) as LogEntry[]
        setNews((before) => [...before, ...entries].slice(-KEPT))
        return
      }
      // The stream has begun, or there were too many: what came meanwhile is in the list.
      setNews([])
      void queries.invalidateQueries({ queryKey: LOG_KEY })
    }
    void followStream(readStream, '/api/dashboard/server/log/live', onEvent, () => {}, end.signal)
    return () => end.abort()
  }, [readStream, queries])
  return news
}
