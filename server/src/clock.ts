/** A pending callback of a {@link Clock}. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/** Time as the rest of the server sees it, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number
  /** Calls `callback` once, `delayMs` milliseconds from now. Delays beyond 24.8 days are honoured. */
  after(delayMs: number, callback: () => void): Timer
}

/** `setTimeout` fires at once for a delay that does not fit into 31 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The machine's own time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const dueAt = Date.now() + delayMs
    let handle: NodeJS.Timeout
    const arm = () => {
      const leftMs = Math.max(0, dueAt - Date.now())
      handle = setTimeout(leftMs > LONGEST_TIMEOUT_MS ? arm : callback, Math.min(leftMs, LONGEST_TIMEOUT_MS))
      handle.unref()
    }
    arm()
    return { cancel: () => clearTimeout(handle) }
  },
}
