/** How fast frames are processed. Times are in milliseconds. */
export interface Pace {
  /** Mean time of a frame. */
  meanMs: number
  /** Since when frames take too long; null if they do not. */
  slowSinceMs: number | null
}

/** A machine that is busy for a moment recovers within this time. */
const SLOW_AFTER_MS = 5_000
/** Part of the latest frame in the mean. */
const SHARE = 0.1

export const initialPace: Pace = { meanMs: 0, slowSinceMs: null }

/**
 * @param frameMs the time from one frame of the camera to the next
 * @param tookMs how long the processing of the latest frame took
 * @returns the pace after it, and whether the machine is too slow: less than half of the frames are processed in time
 */
export function nextPace(before: Pace, frameMs: number, tookMs: number, nowMs: number): [Pace, boolean] {
  const meanMs = before.meanMs + (tookMs - before.meanMs) * SHARE
  if (meanMs <= 2 * frameMs) return [{ meanMs, slowSinceMs: null }, false]
  const slowSinceMs = before.slowSinceMs ?? nowMs
  return [{ meanMs, slowSinceMs }, nowMs - slowSinceMs >= SLOW_AFTER_MS]
}
