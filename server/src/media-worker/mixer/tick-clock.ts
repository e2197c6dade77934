export interface TickClockOptions {
  periodMs: number
  /** How many ticks that are already due happen at once; older ones are left out. 1: only the newest happens. */
  catchUp: number
  /** @param dueMs when the tick was due, by `performance.now()` */
  onTick: (dueMs: number) => void
  /** Ticks that were left out, because the loop had no time for them. */
  onLeftOut?: (ticks: number) => void
}

/**
 * Calls `onTick` once per period without drift: each tick is due at a whole number of periods after the start, however late
 * the ones before came.
 */
export class TickClock {
  readonly #periodMs: number
  readonly #catchUp: number
  readonly #onTick: (dueMs: number) => void
  readonly #onLeftOut: ((ticks: number) => void) | undefined
  #timer: NodeJS.Timeout | null = null
  #startedMs = 0
  #next = 0

  constructor({ periodMs, catchUp, onTick, onLeftOut }: TickClockOptions) {
    this.#periodMs = periodMs
    this.#catchUp = catchUp
    this.#onTick = onTick
    this.#onLeftOut = onLeftOut
  }

  get isRunning(): boolean {
    return this.#timer !== null
  }

  /** The first tick is due at once. Does nothing while running. */
  start(): void {
    if (this.#timer) return
    this.#startedMs = performance.now()
    this.#next = 0
    this.#arm()
  }

  /** Idempotent. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #arm(): void {
    const dueMs = this.#startedMs + this.#next * this.#periodMs
    // Node rounds a delay down, which would wake the tick before it is due and make it wait again.
    this.#timer = setTimeout(this.#wake, Math.max(0, Math.ceil(dueMs - performance.now())))
  }

  readonly #wake = (): void => {
    const newest = Math.floor((performance.now() - this.#startedMs) / this.#periodMs)
    const leftOut = newest - this.#catchUp + 1 - this.#next
    if (leftOut > 0) {
      this.#next += leftOut
      this.#onLeftOut?.(leftOut)
    }
    try {
      while (this.#timer && this.#next <= newest) {
        this.#onTick(this.#startedMs + this.#next++ * this.#periodMs)
      }
    } finally {
      if (this.#timer) this.#arm()
    }
  }
}
