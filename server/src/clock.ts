/** A pending callback of a {@link Clock}. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/** Time as the rest of the server sees it, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. It jumps when somebody sets the machine's clock. */
  now(): number
  /** Milliseconds since some moment. It never jumps and never goes back: for how long something took. */
  monotonicMs(): number
  /** Calls `callback` once, `delayMs` milliseconds from now. Delays beyond 24.8 days are honoured. */
  after(delayMs: number, callback: () => void): Timer
}

/** `setTimeout` fires at once for a delay that does not fit into 31 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The machine's own time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    // Not by the time of day, which may be set meanwhile.
    const dueAt = performance.now() + delayMs
    let handle: NodeJS.Timeout
    const arm = () => {
      const leftMs = Math.max(0, dueAt - performance.now())
      handle = setTimeout(leftMs > LONGEST_TIMEOUT_MS ? arm : callback, Math.min(leftMs, LONGEST_TIMEOUT_MS))
      handle.unref()
    }
    arm()
    return { cancel: () => clearTimeout(handle) }
  },
}

/** Time that runs evenly from its beginning on, so that durations within it are true. */
export interface SteadyClock extends Clock {
  /** What it was by this clock when the machine's clock said `time`, in Unix milliseconds. */
  fromWall(time: number): number
}

/** A clock that begins with the present time and goes on evenly, whatever the machine's clock is set to meanwhile. */
export function steadyClock(clock: Clock): SteadyClock {
  const began = { at: clock.now(), monotonicMs: clock.monotonicMs() }
  const now = () => began.at + Math.round(clock.monotonicMs() - began.monotonicMs)
  return {
    now,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
    fromWall: (time) => now() + (time - clock.now()),
  }
}
