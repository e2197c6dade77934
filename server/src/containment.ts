import type { EventEmitter } from 'node:events'
import type { Logger } from 'pino'

/**
 * A fault after which the process must not go on, such as a database that can no longer be written. It is never
 * contained: the process shuts down in order, and its supervisor restarts it.
 */
export class MustEnd extends Error {
  override readonly name = 'MustEnd'
}

/** See {@link Containment.guard}. */
export type Guard = <A extends unknown[]>(where: string, work: (...args: A) => void) => (...args: A) => void

/** Guards nothing: the caller gets every exception. */
export const unguarded: Guard = (_where, work) => work

/** Number of faults of one place that are logged in full within {@link LOG_WINDOW_MS}. The others are only counted. */
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
  /** Called once, after the fault that exceeds the limit. The code that threw it has returned by then. */
  onTooMany: (lastError: unknown) => void
}

/** Ids in a log line that show whom a fault affected. */
export type FaultIds = Readonly<Record<string, string | number | undefined>>

/**
 * Limits the effect of an exception to the one thing that it happened to: a connection, a datagram, a timer, a message.
 * The exception is logged, and the process goes on. docs/decisions/containment.md has the policy.
 */
export class Containment {
  readonly #log: Logger
  readonly #limit: FaultLimit | null
  readonly #logged = new Map<string, LogWindow>()
  #window: LogWindow = { startedAtMs: 0, faults: 0 }
  #isOver = false

  /** @param limit absent when any number of faults is tolerated */
  constructor(log: Logger, limit: FaultLimit | null = null) {
    this.#log = log
    this.#limit = limit
  }

  /** Wraps a callback so that it never throws, except {@link MustEnd}. `where` is the name in the log. */
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
   * @throws MustEnd when `error` is one
   */
  note(where: string, error: unknown, ids: FaultIds = {}): void {
    if (error instanceof MustEnd) throw error
    this.#logFault(where, error, ids)
    this.#count(error)
  }

  /** Limits the log: a fault in a hot loop must not fill the disk with stack traces. */
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
 * Contains every exception that a listener of an emitter throws, for all events. It is meant for servers, where every
 * event concerns one connection.
 * @param onFault called for each fault with the arguments of the event, so that it can close the connection
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
