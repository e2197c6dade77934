const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** The first pause. Each further one is three times as long. */
const FIRST_MS = 5 * SECOND_MS
const GROWTH = 3
const LONGEST_MS = 8 * HOUR_MS
/** Pauses are up to this fraction shorter or longer, so that not all deliveries come back at the same moment. */
const JITTER = 0.25
/** The last attempt is made so long after the first. */
export const LAST_ATTEMPT_MS = 24 * HOUR_MS

/** An attempt that failed. Times are Unix milliseconds. */
export interface FailedAttempt {
  /** How many attempts there were, this one included. */
  attempts: number
  firstAt: number
  now: number
  /** How long the receiver asked to wait; 0 if it did not. */
  retryAfterMs: number
}

/**
 * When a delivery is tried again: after 5 s, 15 s, 45 s and so on up to every 8 hours, and for the last time 24 hours
 * after the first attempt. The receiver may ask for a longer pause, within the 24 hours.
 * @param random from 0 to 1
 * @returns Unix milliseconds; null when this was the last attempt
 */
export function nextAttempt(
  { attempts, firstAt, now, retryAfterMs }: FailedAttempt,
  random: number,
): number | null {
  const last = firstAt + LAST_ATTEMPT_MS
  if (now >= last) return null
  const pause = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** (attempts - 1))
  const jittered = pause * (1 - JITTER + 2 * JITTER * random)
  return Math.min(last, Math.ceil(now + Math.max(jittered, retryAfterMs)))
}

/**
 * Reads a `Retry-After` header: seconds, or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds from now; 0 when it is absent, unreadable or in the past
 */
export function readRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const text = header.trim()
  const waitMs = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now
  return Number.isNaN(waitMs) ? 0 : Math.max(0, waitMs)
}
