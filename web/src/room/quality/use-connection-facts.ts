import { useEffect, useState } from 'react'
import type { Meeting } from '../meeting.ts'
import { type ConnectionFacts, type Counters, countersOf, factsBetween } from './connection-quality.ts'

const EVERY_MS = 3000

/** What the browser measures of the connection, anew every few seconds. Null until it is known. */
export function useConnectionFacts(meeting: Meeting, hasPicture: boolean): ConnectionFacts | null {
  const [facts, setFacts] = useState<ConnectionFacts | null>(null)
  useEffect(() => {
    let before: Counters | null = null
    let isOver = false
    async function measure(): Promise<void> {
      const reports = await meeting.stats()
      // A page in the background shows no pictures, and its timers are slow.
      if (isOver || !reports || document.hidden) {
        before = null
        return
      }
      const after = countersOf(reports.values(), performance.now())
      const next = before && factsBetween(before, after)
      before = after
      if (next) setFacts({ ...next, framesPerSecond: hasPicture ? next.framesPerSecond : null })
    }
    const timer = setInterval(() => void measure(), EVERY_MS)
    return () => {
      isOver = true
      clearInterval(timer)
    }
  }, [meeting, hasPicture])
  return facts
}
