import type { Clock } from '../clock.ts'

/**
 * Keeps an answer for a while, so that many who ask cause one piece of work. While it is under way, all wait for the
 * same. A failure is not kept.
 */
export class KeptFor<Answer> {
  readonly #clock: Clock
  readonly #ms: number
  readonly #kept = new Map<string, { at: number; answer: Promise<Answer> }>()

  /** @param ms how long an answer is kept, in milliseconds */
  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** The kept answer, or that of `ask`. @param key what is asked for */
  get(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const now = this.#clock.monotonicMs()
    const kept = this.#kept.get(key)
    if (kept && now - kept.at < this.#ms) return kept.answer
    const answer = ask()
    this.#kept.delete(key)
    this.#dropOld(now)
    this.#kept.set(key, { at: now, answer })
    answer.catch(() => this.#kept.get(key)?.answer === answer && this.#kept.delete(key))
    return answer
  }

  /** Number of answers in memory. */
  get size(): number {
    return this.#kept.size
  }

  /** Oldest first: a key that is asked for anew moves to the end. */
  #dropOld(now: number): void {
    for (const [key, { at }] of this.#kept) {
      if (now - at < this.#ms) return
      this.#kept.delete(key)
    }
  }

  /** The next call asks again. */
  forget(key: string): void {
    this.#kept.delete(key)
  }
}
