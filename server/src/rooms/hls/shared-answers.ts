import type { SteadyClock } from '../../clock.ts'

/**
 * Answers that many ask for at the same time: each is got once, and kept for a moment. What failed is not kept. Beyond a
 * number of answers the oldest are forgotten.
 */
export class SharedAnswers<T> {
  readonly #clock: SteadyClock
  readonly #most: number
  readonly #answers = new Map<string, { answer: Promise<T>; until: number }>()

  constructor(clock: SteadyClock, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** @param keepMs how long the answer counts, from when it was asked for */
  get(key: string, keepMs: number, ask: () => Promise<T>): Promise<T> {
    const now = this.#clock.now()
    const known = this.#answers.get(key)
    if (known && known.until > now) return known.answer
    const answer = ask()
    this.#answers.delete(key)
    this.#answers.set(key, { answer, until: now + keepMs })
    answer.catch(() => {
      if (this.#answers.get(key)?.answer === answer) this.#answers.delete(key)
    })
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > this.#most && oldest !== undefined) this.#answers.delete(oldest)
    return answer
  }
}
