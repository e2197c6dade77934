/** RFC 7675, section 5.1: an answer within 30 s; checks every 5 s, made longer or shorter by up to a fifth. */
const EXPIRY_MS = 30_000
const INTERVAL_MS = 5000
const SPREAD = 0.2
/** Where an answer is missing, the next check comes sooner, so that one lost datagram means nothing. */
const IMPATIENT_INTERVAL_MS = 1000
/** The longest regular interval, and three checks that were not answered. */
const SILENCE_MS = 9000
/** A worker that stood still has not asked: time alone proves nothing. */
const FEWEST_UNANSWERED = 3

/** Whether the other side still wants what is sent to it, and still receives it: the timing of consent checks. */
export class Consent {
  readonly #random: () => number
  #answeredAtMs: number
  #unanswered = 0
  /** When the next check is to be sent. */
  checkAtMs: number

  /** @param random from 0 to 1 @param answeredAtMs when the other side answered the check that began it */
  constructor(random: () => number, answeredAtMs: number) {
    this.#random = random
    this.#answeredAtMs = answeredAtMs
    this.checkAtMs = answeredAtMs + this.#interval()
  }

  #interval(): number {
    return INTERVAL_MS * (1 - SPREAD + 2 * SPREAD * this.#random())
  }

  onSent(nowMs: number): void {
    this.#unanswered++
    this.checkAtMs = nowMs + IMPATIENT_INTERVAL_MS
  }

  onAnswered(nowMs: number): void {
    this.#unanswered = 0
    this.#answeredAtMs = nowMs
    this.checkAtMs = nowMs + this.#interval()
  }

  /** When there is something to do or to tell next. */
  dueAtMs(nowMs: number): number {
    const ends = [this.#answeredAtMs + SILENCE_MS, this.#answeredAtMs + EXPIRY_MS]
    return Math.min(this.checkAtMs, ...ends.filter((endMs) => endMs > nowMs))
  }

  /** The other side has not answered for some seconds. */
  isSilent(nowMs: number): boolean {
    return this.#unanswered >= FEWEST_UNANSWERED && nowMs - this.#answeredAtMs >= SILENCE_MS
  }

  /** Nothing may be sent any more. */
  isExpired(nowMs: number): boolean {
    return this.#unanswered >= FEWEST_UNANSWERED && nowMs - this.#answeredAtMs >= EXPIRY_MS
  }
}
