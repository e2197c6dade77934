import { byPriority, type CandidatePair } from './candidate-pair.ts'
import type { Consent } from './consent.ts'
import type { IceSession } from './ice-session.ts'
import type { IceRole, LocalSocket } from './ice-types.ts'

/** So long after the first nomination the one with the highest priority counts, afterwards the latest. */
const SETTLING_MS = 2000

/** The pair that data goes by, the other side's consent to that, and what takes its place. */
export class Selection<Socket extends LocalSocket> {
  readonly session: IceSession<Socket>
  readonly pair: CandidatePair<Socket>
  readonly consent: Consent

  constructor(session: IceSession<Socket>, pair: CandidatePair<Socket>, consent: Consent) {
    this.session = session
    this.pair = pair
    this.consent = consent
  }

  /** Whether a pair that works, but is not nominated, is to be used instead while this one works too. */
  yieldsTo(session: IceSession<Socket>, pair: CandidatePair<Socket>, role: IceRole): boolean {
    const isOpen = session === this.session && session.nominatedAtMs === null
    return isOpen && byPriority(pair, this.pair, role) < 0
  }

  /**
   * Whether a pair that is nominated is to be used instead while this one works too. Some agents nominate every pair that they
   * check, and both sides then take the one with the highest priority. Browsers nominate another pair later on when their
   * network changes, and the one that they left may have had a higher priority.
   */
  yieldsToNominated(
    session: IceSession<Socket>,
    pair: CandidatePair<Socket>,
    role: IceRole,
    nowMs: number,
  ): boolean {
    const { nominatedAtMs } = session
    if (session !== this.session || nominatedAtMs === null) return true
    return nowMs - nominatedAtMs >= SETTLING_MS || byPriority(pair, this.pair, role) < 0
  }
}
