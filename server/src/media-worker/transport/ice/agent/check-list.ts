import { readCandidate, socketPriority } from './candidate.ts'
import { byPriority, type CandidatePair, hasAnswered } from './candidate-pair.ts'
import type { IceRole, LocalSocket } from './ice-types.ts'
import { sameAddress, type TransportAddress } from './transport-address.ts'

/** Limits of what an other side can make us remember and send. Browsers offer some ten candidates. */
const MOST_LINES = 256
const MOST_PAIRS = 64
const MOST_PEER_REFLEXIVE = 32
/** How often a check is sent before it has failed: Rc of RFC 8489, section 6.2.1. */
export const MOST_TRANSMISSIONS = 7
/** What one check from an address pays for. */
const CHECKS_FOR_A_CHECK = 2

/** The pairs of one session, and which of them is checked next (RFC 8445, section 6.1.4). */
export class CheckList<Socket extends LocalSocket> {
  readonly #sockets: readonly Socket[]
  readonly #pairs: CandidatePair<Socket>[]
  readonly #triggered: CandidatePair<Socket>[] = []

  /** @param candidates of the other side, as in SDP; unusable ones are left out, and all above a limit */
  constructor(sockets: readonly Socket[], candidates: readonly string[], role: IceRole) {
    this.#sockets = sockets
    const pairs = candidates.slice(0, MOST_LINES).flatMap((line) => this.#pairsOf(line))
    pairs.sort((a, b) => byPriority(a, b, role))
    this.#pairs = pairs.filter((pair, i) => pairs.findIndex((other) => isSamePath(pair, other)) === i)
    this.#pairs.length = Math.min(this.#pairs.length, MOST_PAIRS)
  }

  get pairs(): readonly CandidatePair<Socket>[] {
    return this.#pairs
  }

  #pairsOf(line: string): CandidatePair<Socket>[] {
    const candidate = readCandidate(line)
    if (!candidate) return []
    const { address, port, priority, family } = candidate
    return this.#sockets
      .filter((socket) => socket.family === family)
      .map((socket) => this.#pair(socket, { address, port }, priority, false))
  }

  #pair(
    socket: Socket,
    remote: TransportAddress,
    remotePriority: number,
    isPeerReflexive: boolean,
  ): CandidatePair<Socket> {
    return {
      socket,
      remote,
      localPriority: socketPriority(this.#sockets, socket),
      remotePriority,
      isPeerReflexive,
      state: 'waiting',
      answeredAtMs: Number.NEGATIVE_INFINITY,
      allowance: isPeerReflexive ? 0 : MOST_TRANSMISSIONS,
      isToBeNominated: false,
    }
  }

  find(socket: Socket, remote: TransportAddress): CandidatePair<Socket> | undefined {
    return this.#pairs.find((pair) => pair.socket === socket && sameAddress(pair.remote, remote))
  }

  /**
   * Adds the pair of an address from which an authentic check came.
   * @param priority what the check says that the candidate is to have (RFC 8445, section 7.3.1.3)
   */
  addPeerReflexive(socket: Socket, remote: TransportAddress, priority: number): CandidatePair<Socket> {
    const pair = this.#pair(socket, remote, priority, true)
    this.#pairs.push(pair)
    return pair
  }

  /**
   * The pair to be forgotten before another peer-reflexive one is added: an unanswered one rather than an answered one, and of
   * those the one known for longest.
   * @param kept is never forgotten
   * @returns null while there is room
   */
  pairInExcess(kept: CandidatePair<Socket> | null): CandidatePair<Socket> | null {
    const learnt = this.#pairs.filter(({ isPeerReflexive }) => isPeerReflexive)
    if (learnt.length < MOST_PEER_REFLEXIVE) return null
    const others = learnt.filter((pair) => pair !== kept)
    return others.reduce((oldest, pair) => (pair.answeredAtMs < oldest.answeredAtMs ? pair : oldest))
  }

  remove(pair: CandidatePair<Socket>): void {
    this.#pairs.splice(this.#pairs.indexOf(pair), 1)
    this.#unqueue(pair)
  }

  #unqueue(pair: CandidatePair<Socket>): void {
    const queued = this.#triggered.indexOf(pair)
    if (queued >= 0) this.#triggered.splice(queued, 1)
  }

  /** The other side has checked this pair: it may be checked from here too, soon (RFC 8445, section 7.3.1.4). */
  pay(pair: CandidatePair<Socket>): void {
    pair.allowance = Math.min(pair.allowance + CHECKS_FOR_A_CHECK, MOST_TRANSMISSIONS)
  }

  /** Has the pair checked before others. */
  trigger(pair: CandidatePair<Socket>): void {
    if (pair.state !== 'checking') pair.state = 'waiting'
    if (!this.#triggered.includes(pair)) this.#triggered.push(pair)
  }

  /** Has all pairs checked again that have ever been answered, or have checks left. */
  checkAgain(): void {
    for (const pair of this.#pairs) {
      if (pair.state !== 'checking' && (hasAnswered(pair) || pair.allowance > 0)) pair.state = 'waiting'
    }
  }

  /**
   * Which pair is to be checked next.
   * @param least pairs of a lower priority than this one's are checked only if the other side checks them
   */
  next(least: CandidatePair<Socket> | null, role: IceRole): CandidatePair<Socket> | null {
    const [triggered] = this.#triggered
    if (triggered) return triggered
    let best = null
    for (const pair of this.#pairs) {
      if (pair.state !== 'waiting' || (pair.allowance === 0 && !hasAnswered(pair))) continue
      if (least && byPriority(pair, least, role) > 0) continue
      if (!best || byPriority(pair, best, role) < 0) best = pair
    }
    return best
  }

  /** Notes that a check of this pair begins. */
  begin(pair: CandidatePair<Socket>): void {
    this.#unqueue(pair)
    pair.state = 'checking'
  }

  /** Notes how the check of this pair ended. */
  settle(pair: CandidatePair<Socket>, state: 'succeeded' | 'failed'): void {
    this.#unqueue(pair)
    pair.state = state
    pair.isToBeNominated = false
  }

  /** The pair of the highest priority whose last check was answered. */
  bestAnswered(role: IceRole): CandidatePair<Socket> | null {
    let best = null
    for (const pair of this.#pairs) {
      if (pair.state === 'succeeded' && (!best || byPriority(pair, best, role) < 0)) best = pair
    }
    return best
  }

  /** Whether a pair of a higher priority may still succeed. */
  mayImproveOn(pair: CandidatePair<Socket>, role: IceRole): boolean {
    return this.#pairs.some(
      (other) =>
        (other.state === 'waiting' || other.state === 'checking') && byPriority(other, pair, role) < 0,
    )
  }

  /** Number of pairs that are being checked or wait for it, from which the pause between repetitions follows. */
  get unsettled(): number {
    return this.#pairs.filter(({ state }) => state === 'waiting' || state === 'checking').length
  }
}

function isSamePath(a: CandidatePair<LocalSocket>, b: CandidatePair<LocalSocket>): boolean {
  return a.socket === b.socket && sameAddress(a.remote, b.remote)
}
