import type { Containment, FaultIds } from './containment.ts'

/** A pending callback of a {@link Clock}. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void
}

/** Time as the rest of the server sees it, so that tests can move it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. It jumps when the machine's clock is set. */
  now(): number
  /** Milliseconds since an arbitrary moment. It never jumps and never goes back. Use it for durations. */
  monotonicMs(): number
  /** Calls `callback` once, `delayMs` milliseconds from now. Delays beyond 24.8 days are honoured. */
  after(delayMs: number, callback: () => void): Timer
}

/** `setTimeout` fires at once for a delay that does not fit into 31 bits. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1
/**
 * A timer that fires this late shows that the process stood still: it was stopped, or its virtual machine was paused.
 */
const STOOD_STILL_MS = 500

/**
 * The machine's own time. Its timers do not keep the process alive. After the process stood still, the data that
 * arrived meanwhile is read before a timer fires, because most timers report that something did not arrive.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    // The time of day is not used, because it may be set meanwhile.
    const dueAt = performance.now() + delayMs
    let handle: NodeJS.Timeout
    let late: NodeJS.Immediate | undefined
    const fire = () => {
      // The event loop runs timers first, then reads sockets and channels, then runs immediates.
      if (performance.now() - dueAt > STOOD_STILL_MS) late = setImmediate(callback)
      else callback()
    }
    const arm = () => {
      const leftMs = Math.max(0, dueAt - performance.now())
      handle = setTimeout(leftMs > LONGEST_TIMEOUT_MS ? arm : fire, Math.min(leftMs, LONGEST_TIMEOUT_MS))
      handle.unref()
    }
    arm()
    return {
      cancel() {
        clearTimeout(handle)
        clearImmediate(late)
      },
    }
  },
}

/** A clock whose callbacks cannot throw. After a fault, only the rest of that callback is lost. */
export function containedClock(clock: Clock, containment: Containment, ids: FaultIds = {}): Clock {
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, callback) =>
      clock.after(delayMs, () => {
        try {
          callback()
        } catch (error) {
          containment.note('timer', error, ids)
        }
      }),
  }
}

/** A clock that runs evenly from its start, so that durations within it are correct. */
export interface SteadyClock extends Clock {
  /** This clock's time at the moment when the machine's clock showed `time`, in Unix milliseconds. */
  fromWall(time: number): number
}

/** Creates a clock that starts at the current time and runs evenly, even if the machine's clock is set meanwhile. */
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
