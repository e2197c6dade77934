import { returnFailure } from './return-failure.ts'
import { beginReturn, nextReturn, type ReturnEvent, type ReturnPlan } from './return-plan.ts'

/**
 * Carries out a {@link ReturnPlan}: waits, tries, and waits again. It is also a store for the screen that shows the
 * plan.
 */
export class ReturnToMeeting {
  readonly #attempt: () => Promise<void>
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #plan: ReturnPlan
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param people number of people in the room when it was interrupted
   * @param attempt resolves when the person is back
   */
  constructor(people: number, attempt: () => Promise<void>) {
    this.#attempt = attempt
    this.#plan = beginReturn({ nowMs: Date.now(), random: Math.random(), people })
    const { signal } = this.#stop
    window.addEventListener(
      'online',
      () => this.#take({ kind: 'online', nowMs: Date.now(), random: Math.random() }),
      { signal },
    )
    this.#arm()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  snapshot = (): ReturnPlan => this.#plan

  joinNow = (): void => this.#take({ kind: 'join-now', nowMs: Date.now() })

  /** Stops everything. The caller has to end an attempt that is in progress. */
  stop(): void {
    this.#stop.abort()
    clearTimeout(this.#timer)
  }

  #take(event: ReturnEvent): void {
    if (this.#stop.signal.aborted) return
    const before = this.#plan
    this.#plan = nextReturn(before, event)
    this.#arm()
    if (this.#plan === before) return
    for (const listener of this.#listeners) listener()
    if (this.#plan.is === 'trying') void this.#try()
  }

  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#plan.is !== 'waiting') return
    const leftMs = Math.max(0, this.#plan.tryAtMs - Date.now())
    this.#timer = setTimeout(() => this.#take({ kind: 'time', nowMs: Date.now() }), leftMs)
  }

  async #try(): Promise<void> {
    try {
      await this.#attempt()
    } catch (error) {
      const failure = returnFailure(error)
      this.#take({ kind: 'failed', failure, nowMs: Date.now(), random: Math.random() })
    }
  }
}
