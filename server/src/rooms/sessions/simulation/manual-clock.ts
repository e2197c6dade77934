import type { Clock, Timer } from '../../../clock.ts'

interface Pending {
  at: number
  order: number
  callback: () => void
}

/** A clock that stands still until it is moved by hand. */
export class ManualClock implements Clock {
  #now: number
  /** How far the time of day was set forward or back. */
  #jumpedMs = 0
  #order = 0
  readonly #settled: () => Promise<void>
  readonly #pending = new Set<Pending>()

  /**
   * @param settled resolves when everything that a timer sets off has come to rest
   * @param start Unix milliseconds
   */
  constructor(settled: () => Promise<void>, start = Date.UTC(2030, 0, 1)) {
    this.#settled = settled
    this.#now = start
  }

  /** Timers that are neither due nor cancelled. */
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

  /** Moves on, stopping at each timer on the way, and lets everything that a timer sets off come to rest. */
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
