import type { SessionEvent } from './session-queries.ts'
import type { Span } from './timeline.ts'

/** The parts of a session that a recording shows, without pauses, in Unix milliseconds, oldest first. */
export function recordedSpans(
  recordingId: string,
  startedAt: number,
  endedAt: number,
  events: readonly SessionEvent[],
): Span[] {
  const spans: Span[] = []
  let from: number | null = startedAt
  for (const event of events) {
    if ((event.payload as { recording_id?: string }).recording_id !== recordingId) continue
    const at = Date.parse(event.created_at)
    if (event.name === 'recording.paused' && from !== null) {
      spans.push({ from, to: at })
      from = null
    }
    if (event.name === 'recording.resumed') from ??= at
  }
  if (from !== null) spans.push({ from, to: Math.max(from, endedAt) })
  return spans
}

/** The moment of the session that a recording shows at this position. @param seconds from the begin of the file */
export function momentAt(spans: readonly Span[], seconds: number): number | null {
  let left = seconds * 1000
  for (const { from, to } of spans) {
    if (left <= to - from) return from + left
    left -= to - from
  }
  return spans.at(-1)?.to ?? null
}

/** The position of a recording, in seconds, that shows this moment; null if it was not recorded. */
export function positionOf(spans: readonly Span[], moment: number): number | null {
  let before = 0
  for (const { from, to } of spans) {
    if (moment >= from && moment <= to) return (before + moment - from) / 1000
    before += to - from
  }
  return null
}
