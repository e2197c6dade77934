import { hash } from 'node:crypto'
import { TokenBucket } from '../token-bucket.ts'
import type { LimitLog } from './limit-log.ts'
import { networkOf } from './network-of.ts'
import { type SteadyClock, Window } from './window.ts'

/** Unknown credentials that are looked up for one address beyond its limit: at once, and per second. */
const LOOKUP_BURST = 20
const LOOKUPS_PER_SECOND = 10
/** Good and wrong credentials that are remembered, each. */
const REMEMBERED = 10_000

/** Too many wrong credentials came from an address. */
export class TooManyFailedSignIns extends Error {
  override readonly name = 'TooManyFailedSignIns'
  /** When to come again, in whole seconds. */
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super(`Too many wrong credentials came from your address. Try again in ${retryAfterSeconds} s.`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What one address has guessed in the present window. */
interface Guesses {
  wrong: number
  /** Paces the look-ups beyond the limit. */
  readonly gate: TokenBucket
}

/**
 * Counts the wrong credentials of each address, whichever surface they came to, and bounds what a guesser can try.
 * Nobody with good credentials is shut out by somebody else's wrong ones from the same address:
 * - Signed credentials are always judged, since a signature costs little. Only wrong ones are counted.
 * - Credentials that were good before are always looked up.
 * - Unknown ones are looked up at a bounded rate once the address is over its limit.
 */
export class FailedSignIns {
  readonly #limit: number
  readonly #log: LimitLog
  readonly #nowMs: SteadyClock
  readonly #guesses: Window<Guesses>
  /** Hashes of credentials that were found wrong in this window: the same guess again teaches nobody anything. */
  readonly #wrong: Window<true>
  /** Hashes of credentials that were good when they were last looked up, the latest ones last. */
  readonly #good = new Set<string>()

  /** @param limit wrong credentials that one address may send in a minute; 0 for no limit */
  constructor(limit: number, log: LimitLog, nowMs: SteadyClock = () => performance.now()) {
    this.#limit = limit
    this.#log = log
    this.#nowMs = nowMs
    this.#guesses = new Window(nowMs)
    this.#wrong = new Window(nowMs)
  }

  get limit(): number {
    return this.#limit
  }

  /**
   * Counts credentials that were wrong by themselves, such as a token with a bad signature.
   * @throws TooManyFailedSignIns when the address was over its limit before: for the answer to say
   */
  countWrong(address: string): void {
    if (this.#limit === 0) return
    const network = networkOf(address)
    const guesses = this.#guessesOf(network)
    const wasOver = guesses.wrong >= this.#limit
    guesses.wrong++
    if (wasOver) throw this.#refusal(network, this.#guesses.secondsLeft())
  }

  /**
   * Looks credentials up that only the database can judge. A guess counts from the moment it is made, so that many at
   * once do not all pass before the first one is counted, and no more once it is found good.
   * @param find undefined for wrong credentials
   * @throws TooManyFailedSignIns at once, and not by the promise, when they are not looked up
   */
  lookUp<T>(
    address: string,
    credentials: string,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (this.#limit === 0) return find()
    const network = networkOf(address)
    const guesses = this.#guessesOf(network)
    const key = hash('sha256', credentials)
    if (guesses.wrong >= this.#limit && !this.#good.has(key)) {
      if (this.#wrong.get(key)) throw this.#refusal(network, this.#guesses.secondsLeft())
      if (!guesses.gate.take(this.#nowMs())) throw this.#refusal(network, 1)
    }
    guesses.wrong++
    return this.#outcome(find(), guesses, key)
  }

  async #outcome<T>(finding: Promise<T | undefined>, guesses: Guesses, key: string): Promise<T | undefined> {
    let isWrong = false
    try {
      const found = await finding
      isWrong = found === undefined
      this.#good.delete(key)
      if (isWrong) this.#rememberWrong(key)
      else this.#rememberGood(key)
      return found
    } finally {
      // A look-up that failed has told nothing.
      if (!isWrong) guesses.wrong--
    }
  }

  #rememberGood(key: string): void {
    this.#good.add(key)
    if (this.#good.size <= REMEMBERED) return
    const [oldest] = this.#good
    if (oldest !== undefined) this.#good.delete(oldest)
  }

  #rememberWrong(key: string): void {
    if (this.#wrong.size < REMEMBERED) this.#wrong.set(key, true)
  }

  #guessesOf(network: string): Guesses {
    const known = this.#guesses.get(network)
    if (known) return known
    const fresh = { wrong: 0, gate: new TokenBucket(LOOKUP_BURST, LOOKUPS_PER_SECOND) }
    this.#guesses.set(network, fresh)
    return fresh
  }

  #refusal(network: string, retryAfterSeconds: number): TooManyFailedSignIns {
    this.#log.reached('PARLEY_FAILED_SIGN_INS_PER_MINUTE', { address: network })
    return new TooManyFailedSignIns(retryAfterSeconds)
  }
}
