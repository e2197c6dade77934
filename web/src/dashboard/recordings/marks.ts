import { positionOf } from '../sessions/recording-time.ts'
import type { SessionEvent } from '../sessions/session-queries.ts'
import type { Span } from '../sessions/timeline.ts'

/** A mark below the player. */
export interface Mark {
  event: SessionEvent
  /** Its place in the recording: 0 is the beginning, 1 the end. */
  part: number
  /** Class of its colour, as in the lanes. */
  look: string
}

/** Marks of one recording at most: more could not be told apart. */
const MOST = 500

/** How long a recording plays. */
export const secondsOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0) / 1000

/** The events that one looks for in a recording, at their places. What was not recorded has no mark. */
export function marksOf(events: readonly SessionEvent[], spans: readonly Span[]): Mark[] {
  const seconds = secondsOf(spans)
  if (seconds <= 0) return []
  const marks: Mark[] = []
  for (const event of events) {
    const look = lookOf(event)
    const position = look && positionOf(spans, Date.parse(event.created_at))
    if (look && typeof position === 'number') marks.push({ event, part: position / seconds, look })
    if (marks.length === MOST) break
  }
  return marks
}

/** @returns null for what has no mark */
function lookOf({ name, payload }: SessionEvent): string | null {
  const { type, changed } = payload as { type?: string; changed?: Record<string, unknown> }
  const isShare = type === 'screen'
  if (name === 'member.joined') return isShare ? 'bg-focus' : 'bg-accent'
  if (name === 'member.left') return isShare ? 'bg-focus' : 'bg-danger'
  if (name === 'member.updated' && changed && 'handraised' in changed) return 'bg-hand'
  return name === 'layout.changed' ? 'bg-line-strong' : null
}
