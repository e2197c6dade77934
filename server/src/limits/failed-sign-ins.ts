import { hash } from 'node:crypto'
import { TokenBucket } from '../token-bucket.ts'
import type { CountExchange } from './count-exchange.ts'
import type { LimitLog } from './limit-log.ts'
import { networkOf } from './network-of.ts'
import type { SteadyClock, Window } from './window.ts'

/** How many unknown credentials are looked up for one address beyond its limit: burst, and rate per second. */
const LOOKUP_BURST = 20
const LOOKUPS_PER_SECOND = 10
/** Number of valid credentials that are remembered, and number of wrong ones. */
const REMEMBERED = 10_000

/** Thrown when too many wrong credentials came from an address. */
export class TooManyFailedSignIns extends Error {
  override readonly name = 'TooManyFailedSignIns'
  /** Time after which the client may try again, in whole seconds. */
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super(`Too many wrong credentials came from your address. Try again in ${retryAfterSeconds} s.`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Wrong credentials from one address in the current window. */
interface Guesses {
  wrong: number
  /** Limits the rate of look-ups beyond the limit. */
  readonly gate: TokenBucket
}

/**
 * Counts the wrong credentials of each address over all interfaces, and limits how many an attacker can try. Wrong
 * credentials do not shut out other clients of the same address that have valid ones:
 * - Signed credentials are always checked, because a signature costs little. Only wrong ones are counted.
 * - Credentials that were valid before are always looked up.
 * - Unknown credentials are looked up at a limited rate once the address is over its limit.
 */
export class FailedSignIns {
  readonly #limit: number
  readonly #log: LimitLog
  readonly #nowMs: SteadyClock
  readonly #tellOthers: (network: string, wrong: number) => void
  readonly #guesses: Window<Guesses>
  /** Hashes of credentials that were wrong in this window. Repeating a wrong guess gives an attacker no information. */
  readonly #wrong: Window<true>
  /** Hashes of credentials that were valid at their last look-up. The most recent ones come last. */
  readonly #good = new Set<string>()

  /**
   * @param limit number of wrong credentials that one address may send in a minute; 0 for no limit
   * @param counts what all nodes count together
   */
  constructor(
    limit: number,
    log: LimitLog,
    counts: Pick<CountExchange, 'newWindow' | 'share'>,
    nowMs: SteadyClock = () => performance.now(),
  ) {
    this.#limit = limit
    this.#log = log
    this.#nowMs = nowMs
    this.#guesses = counts.newWindow(nowMs)
    this.#wrong = counts.newWindow(nowMs)
    this.#tellOthers = counts.share('wrong-credentials', (network, wrong) => {
      this.#guessesOf(network).wrong += wrong
    })
  }

  get limit(): number {
    return this.#limit
  }

  /**
   * Counts credentials that are wrong without a look-up, such as a token with a bad signature.
   * @throws TooManyFailedSignIns when the address was over its limit before, for the answer
   */
  countWrong(address: string): void {
    if (this.#limit === 0) return
    const network = networkOf(address)
    const guesses = this.#guessesOf(network)
    const wasOver = guesses.wrong >= this.#limit
    this.#count(network, guesses)
    if (wasOver) throw this.#refusal(network, this.#guesses.secondsLeft())
  }

  /**
   * Looks up credentials that only the database can check. A guess counts from the start of its look-up, so that many
   * parallel guesses cannot pass before the first one is counted. It stops counting when it turns out to be valid.
   * @param find resolves to undefined for wrong credentials
   * @throws TooManyFailedSignIns synchronously, not through the promise, when the credentials are not looked up
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
    return this.#outcome(find(), { network, guesses, key })
  }

  #count(network: string, guesses: Guesses): void {
    guesses.wrong++
    this.#tellOthers(network, 1)
  }

  async #outcome<T>(
    finding: Promise<T | undefined>,
    { network, guesses, key }: { network: string; guesses: Guesses; key: string },
  ): Promise<T | undefined> {
    let isWrong = false
    try {
      const found = await finding
      isWrong = found === undefined
      this.#good.delete(key)
      if (isWrong) this.#rememberWrong(key)
      else this.#rememberGood(key)
      return found
    } finally {
      // A look-up that failed says nothing about the credentials.
      if (isWrong) this.#tellOthers(network, 1)
      else guesses.wrong--
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
