import type { Clock, Timer } from '../../clock.ts'

interface Pending {
  at: number
  order: number
  callback: () => void
}

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #now: number
  /** Total change of the time of day by {@link jump}. */
  #jumpedMs = 0
  #order = 0
  readonly #settled: () => Promise<void>
  readonly #pending = new Set<Pending>()

  /**
   * @param settled resolves when everything that a timer started has finished
   * @param start Unix milliseconds
   */
  constructor(settled: () => Promise<void>, start = Date.UTC(2030, 0, 1)) {
    this.#settled = settled
    this.#now = start
  }

  /** Number of timers that are neither due nor cancelled. */
  get pendingCount(): number {
    return this.#pending.size
  }

  now(): number {
    return this.#now + this.#jumpedMs
  }

  monotonicMs(): number {
    return this.#now
  }

  /** Sets the time of day. Timers are not affected. */
  jump(byMs: number): void {
    this.#jumpedMs += byMs
  }

  after(delayMs: number, callback: () => void): Timer {
    const pending = { at: this.#now + delayMs, order: ++this.#order, callback }
    this.#pending.add(pending)
    return { cancel: () => this.#pending.delete(pending) }
  }

  /**
   * Moves the clock forward. Stops at each due timer, and waits until everything that the timer started has finished.
   */
  async advance(byMs: number): Promise<void> {
    const until = this.#now + byMs
    for (let next = this.#next(until); next; next = this.#next(until)) {
      this.#pending.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
      await this.#settled()
    }
    this.#now = until
    await this.#settled()
  }

  #next(until: number): Pending | undefined {
    let first: Pending | undefined
    for (const one of this.#pending) {
      if (one.at > until) continue
      if (!first || one.at < first.at || (one.at === first.at && one.order < first.order)) first = one
    }
    return first
  }
}
