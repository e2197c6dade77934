/** A running recording, as the page knows it. */
export interface MeetingRecording {
  paused: boolean
  /** What was recorded before the last pause, in milliseconds. Null if nobody told this page. */
  recordedMs: number | null
  /** Since when it has been recording without a pause, in Unix milliseconds. Null while it is paused. */
  sinceMs: number | null
}

/** What the server reports about a running recording. */
export interface RecordingReport {
  state: 'recording' | 'paused'
  /** Start of the recording in Unix milliseconds; null if it is not known. */
  startedAtMs: number | null
  /** Time of the report in Unix milliseconds. */
  nowMs: number
}

/** Returns the recording after a report. The server does not tell how long pauses were, so the page counts them. */
export function withReport(
  before: MeetingRecording | null,
  { state, startedAtMs, nowMs }: RecordingReport,
): MeetingRecording {
  if (state === 'paused') {
    if (before?.paused) return before
    return { paused: true, recordedMs: before && recordedMsOf(before, nowMs), sinceMs: null }
  }
  if (!before) return { paused: false, recordedMs: 0, sinceMs: startedAtMs ?? nowMs }
  if (before.paused) return { ...before, paused: false, sinceMs: nowMs }
  // The room may say that it is recorded before the first frame is in the file.
  const startsNow = before.recordedMs === 0 && startedAtMs !== null && startedAtMs !== before.sinceMs
  return startsNow ? { ...before, sinceMs: startedAtMs } : before
}

/** How much is recorded at a time (Unix milliseconds), without pauses. Null if it is not known. */
export function recordedMsOf({ recordedMs, sinceMs }: MeetingRecording, nowMs: number): number | null {
  if (recordedMs === null) return null
  return recordedMs + (sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs))
}
