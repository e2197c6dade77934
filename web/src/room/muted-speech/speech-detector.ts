/** Whether somebody speaks into a muted microphone, from its level over time. */
export interface SpeechDetector {
  /** Since when it has been loud without a longer pause, in milliseconds; null while it is not. */
  loudSinceMs: number | null
  lastLoudMs: number
  /** When it was last told. */
  toldAtMs: number
}

/** Speech at a usual distance is louder; a keyboard and a fan are not. */
const LOUD_DB = -42
/** A cough is shorter. */
const SPEAKS_AFTER_MS = 600
/** Pauses between words are shorter. */
const PAUSE_MS = 400
/** Who was told knows it for a while, and may speak to somebody in the room. */
const QUIET_AFTER_MS = 30_000

export const silentDetector: SpeechDetector = {
  loudSinceMs: null,
  lastLoudMs: Number.NEGATIVE_INFINITY,
  toldAtMs: Number.NEGATIVE_INFINITY,
}

/**
 * @param levelDb of the last moment, in dBFS
 * @returns the detector after it, and whether to tell the person now
 */
export function nextDetector(
  before: SpeechDetector,
  levelDb: number,
  nowMs: number,
): [SpeechDetector, boolean] {
  const isPause = nowMs - before.lastLoudMs > PAUSE_MS
  if (levelDb < LOUD_DB) return [isPause ? { ...before, loudSinceMs: null } : before, false]
  const loudSinceMs = isPause ? nowMs : (before.loudSinceMs ?? nowMs)
  const speaks = nowMs - loudSinceMs >= SPEAKS_AFTER_MS && nowMs - before.toldAtMs >= QUIET_AFTER_MS
  return [{ loudSinceMs, lastLoudMs: nowMs, toldAtMs: speaks ? nowMs : before.toldAtMs }, speaks]
}
