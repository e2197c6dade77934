import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { KeyedCertificate } from '../tls/authority.ts'
import type { Challenges } from './challenges.ts'
import { openAccount } from './client.ts'
import {
  type AttemptRecord,
  keepAttempt,
  keepCertificate,
  keptCertificate,
  lastAttempt,
  objection,
} from './kept-certificates.ts'
import { orderCertificate, type Way } from './order.ts'
import { AcmeProblem, adviceFor } from './problem.ts'
import { renewalTime, waitAfter, waitAtStart } from './schedule.ts'

/** What all names share. */
export interface AcmeParts {
  config: Pick<Config, 'dataDir' | 'acmeDirectoryUrl' | 'acmeCa' | 'acmeEmail'>
  challenges: Challenges
  /** The ways to prove a name, in the order in which they are tried. */
  ways: readonly Way[]
  /** Called with each certificate: the kept one at the start, and each new one. */
  onCertificate(name: string, pair: KeyedCertificate): void
  clock: Clock
  log: Logger
}

/** How long one attempt may take. The other names wait for it. */
const ATTEMPT_TIMEOUT_MS = 10 * 60 * 1000
/** A certificate that is due at once again is of a clock that is wrong, here or at the authority. */
const DUE_AGAIN_WAIT_MS = 24 * 60 * 60 * 1000

/** Gets and renews the certificate of one name. */
export class AcmeName {
  readonly #name: string
  readonly #parts: AcmeParts
  #renewAt = 0
  #failures = 0
  /** Not before this moment of the clock that never jumps. */
  #notBeforeMs = 0

  private constructor(name: string, parts: AcmeParts) {
    this.#name = name
    this.#parts = parts
  }

  /** Takes up what an earlier run kept. */
  static async open(name: string, parts: AcmeParts): Promise<AcmeName> {
    const { config, clock, onCertificate } = parts
    const opened = new AcmeName(name, parts)
    const last = await lastAttempt(config.dataDir, name)
    // What another directory issued, such as that for tests, is not what the operator wants now.
    if (last?.directoryUrl !== config.acmeDirectoryUrl) return opened
    const pair = await keptCertificate(config.dataDir, name, clock.now())
    if (pair) {
      opened.#renewAt = renewalTime(new X509Certificate(pair.cert))
      onCertificate(name, pair)
    }
    opened.#failures = last.failures
    opened.#notBeforeMs = clock.monotonicMs() + waitAtStart(last, clock.now())
    return opened
  }

  /** Gets or renews the certificate if that is due. Failures are logged and kept; nothing is thrown. */
  async keepUp(signal: AbortSignal): Promise<void> {
    const { clock, log, config } = this.#parts
    if (clock.now() < this.#renewAt || clock.monotonicMs() < this.#notBeforeMs) return
    const record: AttemptRecord = {
      directoryUrl: config.acmeDirectoryUrl,
      lastTriedAt: clock.now(),
      failures: this.#failures,
      nextTryAt: null,
      isDemanded: false,
      problem: null,
    }
    try {
      // First of all, because what cannot be kept must not be asked for: each restart would ask again.
      await keepAttempt(config.dataDir, this.#name, record)
      log.info({ name: this.#name }, 'asking the authority for a certificate')
      await this.#renew(AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]))
      await this.#succeeded(record)
    } catch (error) {
      if (!signal.aborted) await this.#failed(error, record)
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { config, challenges, ways, clock, onCertificate } = this.#parts
    const account = await openAccount(config, signal)
    const pair = await orderCertificate(this.#name, { ...account, challenges, ways, signal })
    const flaw = objection(pair, this.#name, clock.now())
    if (flaw !== undefined) throw new AcmeProblem(`the authority sent what cannot be served: ${flaw}`)
    await keepCertificate(config.dataDir, this.#name, pair)
    onCertificate(this.#name, pair)
    this.#renewAt = renewalTime(new X509Certificate(pair.cert))
  }

  async #succeeded(record: AttemptRecord): Promise<void> {
    const { clock, log, config } = this.#parts
    this.#failures = 0
    const name = this.#name
    if (clock.now() < this.#renewAt) {
      log.info({ name, renewedAt: new Date(this.#renewAt).toISOString() }, 'the authority gave a certificate')
    } else {
      this.#notBeforeMs = clock.monotonicMs() + DUE_AGAIN_WAIT_MS
      log.error({ name }, 'the new certificate is due to be renewed already: see whether the clock is right')
    }
    await keepAttempt(config.dataDir, name, { ...record, failures: 0 })
  }

  async #failed(error: unknown, record: AttemptRecord): Promise<void> {
    const { clock, log, config } = this.#parts
    const name = this.#name
    this.#failures++
    const demandedMs = error instanceof AcmeProblem ? error.retryAfterMs : 0
    const waitMs = waitAfter(this.#failures, demandedMs)
    this.#notBeforeMs = clock.monotonicMs() + waitMs
    const nextTryAt = clock.now() + waitMs
    const reason = error instanceof Error ? error.message || error.name : String(error)
    const advice = adviceFor(error)
    const facts = { name, reason, advice, nextTry: new Date(nextTryAt).toISOString() }
    log.error(facts, 'no certificate could be had from the authority')
    const problem = advice === '' ? reason : `${reason} ${advice}`
    const isDemanded = demandedMs > 0
    const failed = { ...record, failures: this.#failures, nextTryAt, isDemanded, problem }
    await keepAttempt(config.dataDir, name, failed).catch((err: unknown) => log.debug({ err }, 'not kept'))
  }
}
