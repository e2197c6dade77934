import type { EventEmitter } from 'node:events'
import type { Logger } from 'pino'

/**
 * A fault after which the process must not go on, such as a database that can no longer be written. It is never
 * contained: the process ends in order, and is started again from outside.
 */
export class MustEnd extends Error {
  override readonly name = 'MustEnd'
}

/** See {@link Containment.guard}. */
export type Guard = <A extends unknown[]>(where: string, work: (...args: A) => void) => (...args: A) => void

/** Leaves every fault to the caller. */
export const unguarded: Guard = (_where, work) => work

/** How many faults of one place are logged in full within {@link LOG_WINDOW_MS}; the others are counted. */
const LOGGED_FAULTS = 5
const LOG_WINDOW_MS = 60_000

interface LogWindow {
  startedAtMs: number
  faults: number
}

/** More than `faults` faults within `withinMs` milliseconds are too many. */
export interface FaultLimit {
  faults: number
  withinMs: number
  /** Called once, after the fault that was one too many. Whatever threw it has been left by then. */
  onTooMany: (lastError: unknown) => void
}

/** What a log line needs so that somebody finds whom a fault concerned. */
export type FaultIds = Readonly<Record<string, string | number | undefined>>

/**
 * Keeps an exception with the one thing that it happened to: a connection, a datagram, a timer, a message. It is logged,
 * and the process goes on. docs/decisions/containment.md has the policy.
 */
export class Containment {
  readonly #log: Logger
  readonly #limit: FaultLimit | null
  readonly #logged = new Map<string, LogWindow>()
  #window: LogWindow = { startedAtMs: 0, faults: 0 }
  #isOver = false

  /** @param limit absent where any number of faults is borne */
  constructor(log: Logger, limit: FaultLimit | null = null) {
    this.#log = log
    this.#limit = limit
  }

  /** Wraps a callback so that it never throws, except {@link MustEnd}. `where` names it in the log. */
  readonly guard: Guard = (where, work) => {
    return (...args) => {
      try {
        work(...args)
      } catch (error) {
        this.note(where, error)
      }
    }
  }

  /**
   * Logs and counts a fault that was caught.
   * @throws MustEnd when it is one
   */
  note(where: string, error: unknown, ids: FaultIds = {}): void {
    if (error instanceof MustEnd) throw error
    this.#logFault(where, error, ids)
    this.#count(error)
  }

  /** A fault in a hot loop must not fill the disk with its stack. */
  #logFault(where: string, error: unknown, ids: FaultIds): void {
    const nowMs = performance.now()
    let window = this.#logged.get(where)
    if (!window || nowMs - window.startedAtMs > LOG_WINDOW_MS) {
      if (window && window.faults > LOGGED_FAULTS) {
        this.#log.error({ where, notLogged: window.faults - LOGGED_FAULTS }, 'more faults of this kind')
      }
      window = { startedAtMs: nowMs, faults: 0 }
      this.#logged.set(where, window)
    }
    if (++window.faults <= LOGGED_FAULTS) {
      this.#log.error({ err: error, where, ...ids }, 'a fault was contained')
    }
  }

  #count(error: unknown): void {
    if (!this.#limit || this.#isOver) return
    const nowMs = performance.now()
    if (nowMs - this.#window.startedAtMs > this.#limit.withinMs) {
      this.#window = { startedAtMs: nowMs, faults: 0 }
    }
    if (++this.#window.faults <= this.#limit.faults) return
    this.#isOver = true
    this.#limit.onTooMany(error)
  }
}

/**
 * Contains every exception that a listener of an emitter throws, whichever event it listens to. For servers, whose every
 * event is about one connection.
 * @param onFault told of each fault with the arguments of the event, so that the connection can be closed
 */
export function containEvents(
  emitter: EventEmitter,
  onFault: (event: string, error: unknown, args: readonly unknown[]) => void,
): void {
  const emit = emitter.emit.bind(emitter)
  emitter.emit = (event: string, ...args: unknown[]) => {
    try {
      return emit(event, ...args)
    } catch (error) {
      onFault(String(event), error, args)
      return true
    }
  }
}
