import {
  BINDING_SUCCESS,
  isAuthentic,
  ROLE_CONFLICT,
  type StunMessage,
  writeBindingError,
  writeBindingRequest,
  writeBindingSuccess,
} from '../stun.ts'
import { peerReflexivePriority } from './candidate.ts'
import { byPriority, type CandidatePair } from './candidate-pair.ts'
import { type Check, ChecksUnderWay, PACE_MS } from './checks-under-way.ts'
import { Consent } from './consent.ts'
import { type IceSession, newSession, type RandomBytes } from './ice-session.ts'
import type { IceAgentEvents, IceParameters, IcePath, IceRole, IceState, LocalSocket } from './ice-types.ts'
import { sameAddress } from './transport-address.ts'

/** A peer that SDP does not tell all about may still be on its way for so long (RFC 8863, section 3). */
const PATIENCE_MS = 39_500
/** How long a session from before a restart is answered once there is a path of the new one. */
const RETIREMENT_MS = 5000
/** An answer this old proves that a pair works. */
const FRESH_MS = 5000
/** So long after the first nomination the one with the highest priority counts, afterwards the latest. */
const SETTLING_MS = 2000
/** How long we wait, when we are controlling, for a better pair than the first one that works. */
const NOMINATION_PATIENCE_MS = 500

/** What the agents of one worker share. */
export interface IceHost<Socket extends LocalSocket> {
  send(datagram: Buffer, path: IcePath<Socket>): void
  readonly random: RandomBytes
  /** Later requests that name this fragment are for this agent. */
  addFragment(fragment: string, agent: IceAgent<Socket>): void
  removeFragment(fragment: string): void
  /** Later responses with this transaction id are for this agent. */
  addTransaction(id: string, agent: IceAgent<Socket>): void
  removeTransaction(id: string): void
  /** Later data on this path may be for this agent, see {@link PathHolders}. */
  claim(path: IcePath<Socket>, events: IceAgentEvents<Socket>, isProved: boolean): void
  release(path: IcePath<Socket>, events: IceAgentEvents<Socket>): void
  onClosed(agent: IceAgent<Socket>): void
}

export interface IceAgentOptions<Socket extends LocalSocket> {
  /** Where we can be reached, the best first. Not empty. */
  sockets: readonly Socket[]
  /** What the other side's SDP says. */
  remote: IceParameters
  /** Controlled by default, as is right for who answers an offer of a full agent. */
  role?: IceRole
  events: IceAgentEvents<Socket>
}

/** One side of one transport. Made by {@link IceAgents.open}, where its use is described. */
export class IceAgent<Socket extends LocalSocket> {
  readonly #host: IceHost<Socket>
  readonly #sockets: readonly Socket[]
  readonly #events: IceAgentEvents<Socket>
  readonly #underWay: ChecksUnderWay<Socket>
  #role: IceRole
  #tieBreaker: bigint
  #state: IceState = 'checking'
  /** The latest, and the one before a restart while it may still be in use. */
  #session: IceSession<Socket>
  #previous: IceSession<Socket> | null = null
  #previousEndsAtMs = Number.POSITIVE_INFINITY
  /** The pair that data goes by, its session, and the other side's consent to that. */
  #selected: CandidatePair<Socket> | null = null
  #selectedSession: IceSession<Socket> | null = null
  #consent: Consent | null = null
  /** When the next check may begin. */
  #pacedUntilMs: number
  /** When {@link tick} has something to do. Infinity where only a datagram can change anything. */
  dueAtMs: number

  constructor(host: IceHost<Socket>, options: IceAgentOptions<Socket>, nowMs: number) {
    const { sockets, remote, role = 'controlled', events } = options
    this.#host = host
    this.#sockets = sockets
    this.#events = events
    this.#role = role
    this.#tieBreaker = host.random(8).readBigUInt64BE()
    this.#underWay = new ChecksUnderWay<Socket>({
      onBegin: (id) => host.addTransaction(id, this),
      onEnd: (id) => host.removeTransaction(id),
      transmit: ({ datagram, pair }) => host.send(datagram, pair),
    })
    this.#session = this.#begin(remote, nowMs)
    this.#pacedUntilMs = nowMs
    this.dueAtMs = nowMs
  }

  get state(): IceState {
    return this.#state
  }

  get role(): IceRole {
    return this.#role
  }

  /** What our SDP is to say since the last restart. */
  get local(): IceParameters {
    return this.#session.local
  }

  /** What the other side's SDP said at the last restart. */
  get remote(): IceParameters {
    return this.#session.remote
  }

  /** Where data goes; null before there is a path, and after consent to send has expired. */
  get selected(): IcePath<Socket> | null {
    return this.#selected
  }

  /**
   * ICE restart (RFC 8445, section 9), because the other side's SDP has a new fragment and password. Data goes on where it
   * goes until the other side nominates a pair of the new session.
   * @returns what our SDP is to say from now on
   * @throws where the agent is closed
   */
  restart(remote: IceParameters, nowMs: number): IceParameters {
    if (this.#state === 'closed') throw new Error('the ICE agent is closed')
    const kept = this.#selectedSession
    const before = [this.#session, this.#previous]
    this.#session = this.#begin(remote, nowMs)
    this.#previous = kept
    this.#previousEndsAtMs = Number.POSITIVE_INFINITY
    for (const session of before) if (session && session !== kept) this.#retire(session)
    if (!this.#selected) this.#setState('checking')
    this.#schedule(nowMs)
    return this.local
  }

  #begin(remote: IceParameters, nowMs: number): IceSession<Socket> {
    const session = newSession(this.#sockets, remote, this.#role, this.#host.random, nowMs)
    this.#host.addFragment(session.local.usernameFragment, this)
    return session
  }

  /** Forgets a session that is neither {@link #session} nor {@link #previous} any more. */
  #retire(session: IceSession<Socket>): void {
    this.#host.removeFragment(session.local.usernameFragment)
    this.#underWay.endAll(session)
    for (const pair of session.list.pairs) this.#releaseUnlessUsed(pair)
  }

  #releaseUnlessUsed({ socket, remote }: CandidatePair<Socket>): void {
    const isUsed = this.#sessions.some(({ list }) => list.find(socket, remote))
    if (!isUsed) this.#host.release({ socket, remote }, this.#events)
  }

  get #sessions(): IceSession<Socket>[] {
    return this.#previous ? [this.#session, this.#previous] : [this.#session]
  }

  /** Takes a request whose username begins with a fragment of ours. It may still come from anybody. */
  onRequest(datagram: Buffer, message: StunMessage, path: IcePath<Socket>, nowMs: number): void {
    const session = this.#sessions.find(({ usernameOfChecks }) => usernameOfChecks === message.username)
    if (!session || !isAuthentic(datagram, message, session.local.password)) return
    const { password } = session.local
    if (this.#insistsOnRole(message)) {
      this.#host.send(writeBindingError(message.transactionId, ROLE_CONFLICT, password), path)
      return
    }
    const { address, port } = path.remote
    this.#host.send(writeBindingSuccess(message.transactionId, address, port, password), path)
    const pair = session.list.find(path.socket, path.remote) ?? this.#learn(session, path, message.priority)
    session.list.pay(pair)
    this.#host.claim(pair, this.#events, false)
    if (message.useCandidate && this.#role === 'controlled') this.#onNominated(session, pair, nowMs)
    this.#checkBack(session, pair, nowMs)
    this.tick(nowMs)
  }

  /**
   * Where both sides believe that they have the same role, the tie-breakers decide (RFC 8445, section 7.3.1.1).
   * @returns whether it is the other side that has to change; if it is ours, it has
   */
  #insistsOnRole({ role, tieBreaker }: StunMessage): boolean {
    if (role !== this.#role) return false
    const isControllingOne = this.#tieBreaker >= tieBreaker
    if (isControllingOne === (this.#role === 'controlling')) return true
    this.#role = isControllingOne ? 'controlling' : 'controlled'
    return false
  }

  /** A new peer-reflexive candidate (RFC 8445, section 7.3.1.3). */
  #learn(
    session: IceSession<Socket>,
    { socket, remote }: IcePath<Socket>,
    priority: number,
  ): CandidatePair<Socket> {
    const excess = session.list.pairInExcess(this.#selected)
    if (excess) {
      session.list.remove(excess)
      this.#underWay.endAll(excess)
      this.#releaseUnlessUsed(excess)
    }
    return session.list.addPeerReflexive(socket, remote, priority)
  }

  /** The other side wants this pair to be used (RFC 8445, section 7.3.1.5): from when we know that it works both ways. */
  #onNominated(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (pair === this.#selected || nowMs - pair.answeredAtMs <= FRESH_MS) this.#nominate(session, pair, nowMs)
    else pair.isToBeNominated = true
  }

  /** Triggers a check in the other direction (RFC 8445, section 7.3.1.4). */
  #checkBack(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (pair.state === 'succeeded' && !pair.isToBeNominated) return
    const check = this.#underWay.of(pair)
    if (check?.role === this.#role) {
      this.#underWay.hasten(check, nowMs)
      return
    }
    if (check) this.#underWay.end(check)
    session.list.trigger(pair)
  }

  /** Takes a response to a transaction of ours. It may still come from anybody. */
  onResponse(datagram: Buffer, message: StunMessage, path: IcePath<Socket>, nowMs: number): void {
    const check = this.#underWay.find(idOf(message.transactionId))
    if (!check) return
    const { pair, session } = check
    // An answer from elsewhere than was asked proves nothing (RFC 8445, section 7.2.5.2.1). The right one may still come.
    if (path.socket !== pair.socket || !sameAddress(path.remote, pair.remote)) return
    if (!isAnswerOf(session, pair, datagram, message)) return
    this.#underWay.end(check)
    if (message.type === BINDING_SUCCESS) this.#onAnswered(check, nowMs)
    else this.#onRefused(check, message.errorCode)
    this.tick(nowMs)
  }

  #onRefused({ session, pair, role, isForConsent }: Check<Socket>, errorCode: number): void {
    if (errorCode === ROLE_CONFLICT) {
      this.#role = role === 'controlling' ? 'controlled' : 'controlling'
      this.#tieBreaker = this.#host.random(8).readBigUInt64BE()
      if (!isForConsent) session.list.trigger(pair)
    } else if (!isForConsent) session.list.settle(pair, 'failed')
  }

  #onAnswered({ session, pair, nominates, isForConsent }: Check<Socket>, nowMs: number): void {
    this.#underWay.endAll(pair)
    const wasToBeNominated = pair.isToBeNominated
    session.list.settle(pair, 'succeeded')
    pair.answeredAtMs = nowMs
    session.succeededAtMs ??= nowMs
    this.#host.claim(pair, this.#events, true)
    if (pair === this.#selected) this.#onConsent(nowMs)
    if (isForConsent) return
    const isNominated = this.#role === 'controlling' ? nominates : wasToBeNominated
    if (isNominated) this.#nominate(session, pair, nowMs)
    else if (this.#isBetterThanSelected(session, pair)) this.#select(session, pair, nowMs)
  }

  /** Whether a pair that is not nominated is to be used: in place of none, a dead one, or another that is not nominated. */
  #isBetterThanSelected(session: IceSession<Socket>, pair: CandidatePair<Socket>): boolean {
    if (!this.#selected) return true
    if (pair === this.#selected) return false
    if (this.#state === 'disconnected') return true
    const isOpen = session === this.#selectedSession && session.nominatedAtMs === null
    return isOpen && byPriority(pair, this.#selected, this.#role) < 0
  }

  /**
   * Uses a pair that works and is nominated. Some agents nominate every pair that they check, and both sides then take the
   * one with the highest priority. Browsers nominate another pair later on when their network changes, and the one that they
   * left may have had a higher priority.
   */
  #nominate(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (session !== this.#session && this.#selectedSession === this.#session) return
    const first = session.nominatedAtMs
    session.nominatedAtMs ??= nowMs
    if (pair === this.#selected) return
    const isSettling =
      session === this.#selectedSession &&
      this.#state === 'connected' &&
      first !== null &&
      nowMs - first < SETTLING_MS
    const isLower = this.#selected && byPriority(pair, this.#selected, this.#role) > 0
    if (!isSettling || !isLower) this.#select(session, pair, nowMs)
  }

  #select(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (this.#state === 'closed') return
    this.#selected = pair
    this.#selectedSession = session
    this.#consent = new Consent(() => this.#host.random(2).readUInt16BE() / 65_535, nowMs)
    if (session === this.#session) this.#previousEndsAtMs = nowMs + RETIREMENT_MS
    this.#events.onSelected(pair)
    this.#setState('connected')
  }

  #onConsent(nowMs: number): void {
    this.#consent?.onAnswered(nowMs)
    this.#setState('connected')
  }

  /** Does what is due. */
  tick(nowMs: number): void {
    for (const { session, pair, isForConsent } of this.#underWay.tick(nowMs))
      if (!isForConsent) session.list.settle(pair, 'failed')
    if (nowMs >= this.#previousEndsAtMs) this.#endPrevious()
    this.#watchConsent(nowMs)
    if (this.#state === 'checking' && nowMs - this.#session.startedAtMs >= PATIENCE_MS) this.#fail()
    if (this.#isOver) return
    if (nowMs >= this.#pacedUntilMs) this.#checkNext(nowMs)
    this.#schedule(nowMs)
  }

  get #isOver(): boolean {
    return this.#state === 'failed' || this.#state === 'closed'
  }

  #endPrevious(): void {
    const session = this.#previous
    this.#previous = null
    this.#previousEndsAtMs = Number.POSITIVE_INFINITY
    if (session) this.#retire(session)
  }

  #watchConsent(nowMs: number): void {
    const pair = this.#selected
    const session = this.#selectedSession
    if (!pair || !session || !this.#consent) return
    if (this.#consent.isExpired(nowMs)) {
      this.#onExpired()
      return
    }
    if (nowMs >= this.#consent.checkAtMs) {
      this.#consent.onSent(nowMs)
      this.#check(session, pair, { nominates: false, isForConsent: true }, nowMs)
    }
    if (this.#consent.isSilent(nowMs) && this.#state === 'connected') this.#onSilence()
  }

  /** The selected pair may be dead. Another may still work, and a controlling side may choose anew. */
  #onSilence(): void {
    for (const session of this.#sessions) session.list.checkAgain()
    if (this.#role === 'controlling') this.#session.nominatedAtMs = null
    this.#setState('disconnected')
  }

  /** Nothing may be sent any more. A restart that is under way may still find a new path. */
  #onExpired(): void {
    const isRestarting = this.#selectedSession !== this.#session
    this.#unselect()
    if (!isRestarting) this.#fail()
    else this.#setState('checking')
  }

  #unselect(): void {
    if (!this.#selected) return
    this.#selected = null
    this.#selectedSession = null
    this.#consent = null
    this.#endPrevious()
    if (this.#state !== 'closed') this.#events.onSelected(null)
  }

  #fail(): void {
    this.#end()
    this.#setState('failed')
  }

  /** Begins at most one check (RFC 8445, section 6.1.4.2). */
  #checkNext(nowMs: number): void {
    if (this.#checkToNominate(nowMs)) return
    for (const session of this.#sessionsToCheck) {
      const pair = session.list.next(this.#leastToCheck(session), this.#role)
      if (!pair) continue
      session.list.begin(pair)
      this.#check(session, pair, { nominates: false, isForConsent: false }, nowMs)
      return
    }
  }

  /** A session from before a restart is only answered once there is a path of the new one. */
  get #sessionsToCheck(): IceSession<Socket>[] {
    return this.#selectedSession === this.#session ? [this.#session] : this.#sessions
  }

  /** Once a pair is nominated, those of a lower priority are left alone (RFC 8445, section 8.1.2). */
  #leastToCheck(session: IceSession<Socket>): CandidatePair<Socket> | null {
    const isSettled = session === this.#selectedSession && session.nominatedAtMs !== null
    return isSettled && this.#state === 'connected' ? this.#selected : null
  }

  /** Nominates the best pair where that is ours to do (RFC 8445, section 8.1.1). @returns whether a check has begun */
  #checkToNominate(nowMs: number): boolean {
    const session = this.#session
    const best = this.#nominee()
    if (!best || nowMs < this.#nominationAtMs(best)) return false
    session.list.begin(best)
    this.#check(session, best, { nominates: true, isForConsent: false }, nowMs)
    return true
  }

  /** The pair that is to be nominated as things stand, or null. */
  #nominee(): CandidatePair<Socket> | null {
    const isOurs = this.#role === 'controlling' && this.#session.nominatedAtMs === null
    return isOurs && !this.#underWay.isNominating(this.#session)
      ? this.#session.list.bestAnswered(this.#role)
      : null
  }

  #nominationAtMs(best: CandidatePair<Socket>): number {
    const { list, succeededAtMs } = this.#session
    return list.mayImproveOn(best, this.#role) ? (succeededAtMs ?? 0) + NOMINATION_PATIENCE_MS : 0
  }

  #check(
    session: IceSession<Socket>,
    pair: CandidatePair<Socket>,
    { nominates, isForConsent }: { nominates: boolean; isForConsent: boolean },
    nowMs: number,
  ): void {
    const transactionId = this.#host.random(12)
    const { local, remote } = session
    const datagram = writeBindingRequest({
      transactionId,
      username: `${remote.usernameFragment}:${local.usernameFragment}`,
      password: remote.password,
      priority: peerReflexivePriority(this.#sockets, pair.socket),
      tieBreaker: this.#tieBreaker,
      role: this.#role,
      useCandidate: nominates,
    })
    const id = idOf(transactionId)
    const role = this.#role
    this.#underWay.begin({ id, datagram, session, pair, role, nominates, isForConsent }, nowMs)
    if (!isForConsent) this.#pacedUntilMs = nowMs + PACE_MS
  }

  #schedule(nowMs: number): void {
    const nominee = this.#nominee()
    const hasNext = this.#sessionsToCheck.some(
      (session) => session.list.next(this.#leastToCheck(session), this.#role) !== null,
    )
    this.dueAtMs = Math.min(
      this.#underWay.dueAtMs,
      this.#previousEndsAtMs,
      this.#consent?.dueAtMs(nowMs) ?? Number.POSITIVE_INFINITY,
      this.#state === 'checking' ? this.#session.startedAtMs + PATIENCE_MS : Number.POSITIVE_INFINITY,
      hasNext ? this.#pacedUntilMs : Number.POSITIVE_INFINITY,
      nominee ? Math.max(this.#nominationAtMs(nominee), this.#pacedUntilMs) : Number.POSITIVE_INFINITY,
    )
  }

  #setState(state: IceState): void {
    if (this.#state === state || this.#state === 'closed') return
    this.#state = state
    this.#events.onState(state)
  }

  /** Ends without a word to the other side. Paths are given up, and nothing else is told any more. Idempotent. */
  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#end()
    this.#host.onClosed(this)
  }

  #end(): void {
    this.#unselect()
    this.#endPrevious()
    this.#underWay.endAll()
    const { local, list } = this.#session
    this.#host.removeFragment(local.usernameFragment)
    for (const pair of list.pairs) this.#host.release(pair, this.#events)
    this.dueAtMs = Number.POSITIVE_INFINITY
  }
}

/**
 * Whether an answer with the right transaction id is the other side's. Chromium with a pool of candidates and no permission to
 * show its addresses often signs all its answers with a password that it has told nobody (seen in versions up to 156).
 * So an answer is taken from such a browser that only somebody can know who has received our check: 96 random bits, sent to
 * an address from which a signed check came. Others, and those who have once signed an answer, have to sign it.
 */
function isAnswerOf<Socket extends LocalSocket>(
  session: IceSession<Socket>,
  pair: CandidatePair<Socket>,
  datagram: Buffer,
  message: StunMessage,
): boolean {
  if (isAuthentic(datagram, message, session.remote.password)) {
    session.hasSignedAnswer = true
    return true
  }
  const isSignedSomehow = message.type === BINDING_SUCCESS && message.integrityAt >= 0
  return isSignedSomehow && pair.isPeerReflexive && !session.hasSignedAnswer
}

/** A transaction id as the key of a map. */
export function idOf(transactionId: Buffer): string {
  return transactionId.toString('latin1')
}
