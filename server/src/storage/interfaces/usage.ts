import type { SessionRecord } from '../records.ts'

/**
 * Spans of time that began in one hour and ended in another, or in the same. Hours are counted from 1970, in UTC. All
 * times are milliseconds.
 */
export interface Spans {
  firstHour: number
  lastHour: number
  /** Number of the spans. */
  count: number
  /** Sum of their beginnings, each from the begin of its hour. */
  starts: number
  /** Sum of their ends, likewise. */
  ends: number
}

/** Spans in rooms of one quality. */
export type MemberSpans = Spans & { quality: SessionRecord['quality'] }
/** Spans of recordings with the sum of their media, which is less when they were paused. */
export type RecordingSpans = Spans & { mediaMs: number }

/** Reads sums for statistics, by indexes alone. `from` and `until` are Unix milliseconds; `until` is excluded. */
export interface UsageRepository {
  /** Time in rooms of those who left in that time. Screen shares and devices are not counted. */
  ofMembers(projectId: string, from: number, until: number): Promise<MemberSpans[]>
  /** Recordings that were finished in that time. */
  ofRecordings(projectId: string, from: number, until: number): Promise<RecordingSpans[]>
  /** Runs of streams that ended in that time. */
  ofStreams(projectId: string, from: number, until: number): Promise<Spans[]>
  /** Number and size of all recordings of the project. */
  recordingsKept(projectId: string): Promise<{ count: number; bytes: number }>
}
