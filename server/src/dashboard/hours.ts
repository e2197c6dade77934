import type { Spans } from '../storage/interfaces/usage.ts'

export const HOUR_MS = 3_600_000

/** The hour of a time, counted from 1970 in UTC. @param time Unix milliseconds */
export const hourOf = (time: number): number => Math.floor(time / HOUR_MS)

/** Milliseconds by hour. Only hours with some are in it. */
export type Hours = Map<number, number>

/** Adds milliseconds to an hour. */
export function addTo(hours: Hours, hour: number, ms: number): void {
  if (ms > 0) hours.set(hour, (hours.get(hour) ?? 0) + ms)
}

/**
 * Shares out spans among the hours that they lie in.
 * @param scale such as 0.5 for recordings that were paused half of the time
 */
export function addSpans(hours: Hours, { firstHour, lastHour, count, starts, ends }: Spans, scale = 1): void {
  if (firstHour === lastHour) {
    addTo(hours, firstHour, (ends - starts) * scale)
    return
  }
  addTo(hours, firstHour, (count * HOUR_MS - starts) * scale)
  for (let hour = firstHour + 1; hour < lastHour; hour++) addTo(hours, hour, count * HOUR_MS * scale)
  addTo(hours, lastHour, ends * scale)
}

/** One span, in the form of {@link addSpans}. @param start Unix milliseconds, as `end` */
export const span = (start: number, end: number): Spans => ({
  firstHour: hourOf(start),
  lastHour: hourOf(end),
  count: 1,
  starts: start - hourOf(start) * HOUR_MS,
  ends: end - hourOf(end) * HOUR_MS,
})

/** Length of spans in total, in milliseconds. */
export const lengthOf = ({ firstHour, lastHour, count, starts, ends }: Spans): number =>
  (lastHour - firstHour) * count * HOUR_MS + ends - starts
