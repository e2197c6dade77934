import type { X509Certificate } from 'node:crypto'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Wait after the first failure. It grows fourfold: authorities allow few failures in an hour, and an attempt has two. */
const FIRST_WAIT_MS = 15 * MINUTE_MS
const GROWTH = 4
const LONGEST_WAIT_MS = 12 * HOUR_MS
/** The authority may demand more, but not for ever. */
const LONGEST_DEMANDED_WAIT_MS = 48 * HOUR_MS
/** A restart is often made because something was mended, so it tries again sooner. */
const LONGEST_WAIT_AFTER_RESTART_MS = 2 * MINUTE_MS

/** When a certificate is renewed: after two thirds of its life. Unix milliseconds. */
export function renewalTime({ validFromDate, validToDate }: X509Certificate): number {
  const from = validFromDate.getTime()
  return from + ((validToDate.getTime() - from) * 2) / 3
}

/**
 * How long to wait after failures, in milliseconds.
 * @param failures in a row, at least one
 * @param demandedMs what the authority demanded; 0 if nothing
 */
export function waitAfter(failures: number, demandedMs: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * GROWTH ** Math.min(failures - 1, 20))
  return Math.max(wait, Math.min(demandedMs, LONGEST_DEMANDED_WAIT_MS))
}

/**
 * How long to wait at the start of the server, by what an earlier run left behind.
 * @param nextTryAt Unix milliseconds; absent if the last attempt did not end
 * @param isDemanded the authority demanded the wait
 */
export function waitAtStart(
  last: { lastTriedAt: number; nextTryAt: number | null; isDemanded: boolean } | null,
  now: number,
): number {
  if (!last) return 0
  // A run that was killed during its attempt left no time for the next one.
  const until = last.nextTryAt ?? last.lastTriedAt + LONGEST_WAIT_AFTER_RESTART_MS
  const longest = last.isDemanded ? LONGEST_DEMANDED_WAIT_MS : LONGEST_WAIT_AFTER_RESTART_MS
  // The clock may have been set since.
  return Math.min(Math.max(0, until - now), longest)
}
