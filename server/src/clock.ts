import type { Containment, FaultIds } from './containment.ts'

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
/** A timer that fires this late shows that the process stood still: stopped, or in a paused virtual machine. */
const STOOD_STILL_MS = 500

/**
 * The machine's own time. Its timers do not keep the process alive. After a standstill of the process, what has arrived
 * meanwhile is read before a timer fires: most timers judge that something did not arrive.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const dueAt = Date.now() + delayMs
    let handle: NodeJS.Timeout
    let late: NodeJS.Immediate | undefined
    const fire = () => {
      // The event loop runs timers first, then reads sockets and channels, then runs immediates.
      if (Date.now() - dueAt > STOOD_STILL_MS) late = setImmediate(callback)
      else callback()
    }
    const arm = () => {
      const leftMs = Math.max(0, dueAt - Date.now())
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

/** A clock whose callbacks cannot throw: a fault in one costs what that callback would have done. */
export function containedClock(clock: Clock, containment: Containment, ids: FaultIds = {}): Clock {
  return {
    now: () => clock.now(),
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
