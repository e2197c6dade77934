import { type CandidatePair, hasAnswered } from './candidate-pair.ts'
import { MOST_TRANSMISSIONS } from './check-list.ts'
import type { IceSession } from './ice-session.ts'
import type { IceRole, LocalSocket } from './ice-types.ts'

/** The first pause before a repetition, and the pause between checks (RFC 8445, section 14). */
const SHORTEST_PAUSE_MS = 500
export const PACE_MS = 50
/** How long the last transmission is waited for, in first pauses: Rm of RFC 8489, section 6.2.1. */
const LAST_WAIT = 16
/** How long an answer to a consent check counts. */
const CONSENT_WAIT_MS = 5000

/** A request that waits for its answer. */
export interface Check<Socket extends LocalSocket> {
  readonly id: string
  readonly datagram: Buffer
  readonly session: IceSession<Socket>
  readonly pair: CandidatePair<Socket>
  /** Ours, when it was sent. */
  readonly role: IceRole
  /** We are controlling, and want the pair to be used. */
  readonly nominates: boolean
  /** Consent checks are sent once, and mean nothing for the pair where they are lost (RFC 7675, section 5.1). */
  readonly isForConsent: boolean
  readonly firstPauseMs: number
  pauseMs: number
  transmissions: number
  sentAtMs: number
  /** When it is repeated, or given up. */
  dueAtMs: number
}

type NewCheck<Socket extends LocalSocket> = Omit<
  Check<Socket>,
  'firstPauseMs' | 'pauseMs' | 'transmissions' | 'sentAtMs' | 'dueAtMs'
>

interface CheckEvents<Socket extends LocalSocket> {
  /** An answer with this id may come from now on. */
  onBegin(id: string): void
  onEnd(id: string): void
  transmit(check: Check<Socket>): void
}

/** The checks of one agent that wait for their answers, and when they are repeated. */
export class ChecksUnderWay<Socket extends LocalSocket> {
  readonly #events: CheckEvents<Socket>
  readonly #checks = new Map<string, Check<Socket>>()

  constructor(events: CheckEvents<Socket>) {
    this.#events = events
  }

  find(id: string): Check<Socket> | undefined {
    return this.#checks.get(id)
  }

  /** The check of this pair that is repeated until it is answered. */
  of(pair: CandidatePair<Socket>): Check<Socket> | undefined {
    for (const check of this.#checks.values()) if (check.pair === pair && !check.isForConsent) return check
    return undefined
  }

  /** Whether a check that nominates a pair of this session waits for an answer. */
  isNominating(session: IceSession<Socket>): boolean {
    for (const check of this.#checks.values()) if (check.nominates && check.session === session) return true
    return false
  }

  /** Sends a check for the first time. */
  begin(fields: NewCheck<Socket>, nowMs: number): void {
    const { unsettled } = fields.session.list
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, PACE_MS * unsettled)
    const check = { ...fields, firstPauseMs: pauseMs, pauseMs, transmissions: 0, sentAtMs: 0, dueAtMs: 0 }
    this.#checks.set(check.id, check)
    this.#events.onBegin(check.id)
    this.#send(check, nowMs)
  }

  /** Repeats a check now, and as if it were sent for the first time: its answer may have been lost on a way that is open now. */
  hasten(check: Check<Socket>, nowMs: number): void {
    if (nowMs - check.sentAtMs < PACE_MS) return
    check.pauseMs = check.firstPauseMs
    check.transmissions = 0
    this.#send(check, nowMs)
  }

  #send(check: Check<Socket>, nowMs: number): void {
    check.transmissions++
    check.sentAtMs = nowMs
    if (check.isForConsent) {
      check.dueAtMs = nowMs + CONSENT_WAIT_MS
    } else if (check.transmissions >= MOST_TRANSMISSIONS) {
      check.dueAtMs = nowMs + LAST_WAIT * check.firstPauseMs
    } else {
      check.dueAtMs = nowMs + check.pauseMs
      check.pauseMs *= 2
    }
    const { pair } = check
    if (!hasAnswered(pair)) {
      if (pair.allowance === 0) return
      pair.allowance--
    }
    this.#events.transmit(check)
  }

  /** Repeats what is due. @returns the checks that are given up */
  tick(nowMs: number): Check<Socket>[] {
    const given: Check<Socket>[] = []
    for (const check of this.#checks.values()) {
      if (nowMs < check.dueAtMs) continue
      if (!check.isForConsent && check.transmissions < MOST_TRANSMISSIONS) this.#send(check, nowMs)
      else given.push(check)
    }
    for (const check of given) this.end(check)
    return given
  }

  end(check: Check<Socket>): void {
    this.#checks.delete(check.id)
    this.#events.onEnd(check.id)
  }

  /** Ends those of this pair or session, or all. */
  endAll(of?: CandidatePair<Socket> | IceSession<Socket>): void {
    for (const check of this.#checks.values())
      if (!of || check.pair === of || check.session === of) this.end(check)
  }

  /** When the next one is due; infinity where there is none. */
  get dueAtMs(): number {
    let dueAtMs = Number.POSITIVE_INFINITY
    for (const check of this.#checks.values()) dueAtMs = Math.min(dueAtMs, check.dueAtMs)
    return dueAtMs
  }
}
