import { useEffect, useState } from 'react'
import { clockText } from '../recordings/format.ts'

/** Shows that the meeting is being recorded, and for how long. @param props.since in Unix milliseconds */
export function RecordingBadge({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="inline-flex shrink-0 items-center gap-2 rounded-full bg-danger-soft px-3 py-1 text-sm font-semibold text-danger-ink">
      <span aria-hidden className="size-2 animate-pulse-dot rounded-full bg-danger" />
      <span role="status" className="sr-only sm:not-sr-only">
        Recording
      </span>
      <span role="timer" aria-label="Recorded so far" className="tabular-nums">
        {clockText((now - since) / 1000)}
      </span>
    </span>
  )
}
