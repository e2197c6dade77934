import {
  BINDING_SUCCESS,
  isAuthentic,
  ROLE_CONFLICT,
  type StunMessage,
  writeBindingError,
  writeBindingRequest,
  writeBindingSuccess,
} from '../stun.ts'
import { AgreedRole } from './agreed-role.ts'
import { isAnswerTo } from './answer-signature.ts'
import { peerReflexivePriority } from './candidate.ts'
import type { CandidatePair } from './candidate-pair.ts'
import { type Check, ChecksUnderWay, PACE_MS } from './checks-under-way.ts'
import { Consent } from './consent.ts'
import { type IceSession, newSession, type RandomBytes } from './ice-session.ts'
import type { IceAgentEvents, IceParameters, IcePath, IceRole, IceState, LocalSocket } from './ice-types.ts'
import { Selection } from './selection.ts'
import { Sessions } from './sessions.ts'
import { sameAddress } from './transport-address.ts'

/** A peer that SDP does not tell all about may still be on its way for so long (RFC 8863, section 3). */
const PATIENCE_MS = 39_500
/** An answer this old proves that a pair works. */
const FRESH_MS = 5000
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
  readonly #sessions: Sessions<Socket>
  readonly #role: AgreedRole
  #state: IceState = 'checking'
  #selected: Selection<Socket> | null = null
  /** When the next check may begin. */
  #pacedUntilMs: number
  /** When {@link tick} has something to do. Infinity where only a datagram can change anything. */
  dueAtMs: number

  constructor(host: IceHost<Socket>, options: IceAgentOptions<Socket>, nowMs: number) {
    const { sockets, remote, role = 'controlled', events } = options
    this.#host = host
    this.#sockets = sockets
    this.#events = events
    this.#role = new AgreedRole(role, host.random)
    this.#underWay = new ChecksUnderWay<Socket>({
      onBegin: (id) => host.addTransaction(id, this),
      onEnd: (id) => host.removeTransaction(id),
      transmit: ({ datagram, pair }) => host.send(datagram, pair),
    })
    this.#sessions = new Sessions(this.#begin(remote, nowMs), (session) => this.#onSessionEnd(session))
    this.#pacedUntilMs = nowMs
    this.dueAtMs = nowMs
  }

  get state(): IceState {
    return this.#state
  }

  get role(): IceRole {
    return this.#role.now
  }

  /** What our SDP is to say since the last restart. */
  get local(): IceParameters {
    return this.#sessions.latest.local
  }

  /** What the other side's SDP said at the last restart. */
  get remote(): IceParameters {
    return this.#sessions.latest.remote
  }

  /** Where data goes; null before there is a path, and after consent to send has expired. */
  get selected(): IcePath<Socket> | null {
    return this.#selected?.pair ?? null
  }

  /**
   * ICE restart (RFC 8445, section 9), because the other side's SDP has a new fragment and password. Data goes on where it
   * goes until the other side nominates a pair of the new session.
   * @returns what our SDP is to say from now on
   * @throws where the agent is closed
   */
  restart(remote: IceParameters, nowMs: number): IceParameters {
    if (this.#state === 'closed') throw new Error('the ICE agent is closed')
    this.#sessions.restart(this.#begin(remote, nowMs), this.#selected?.session ?? null)
    if (!this.#selected) this.#setState('checking')
    this.#schedule(nowMs)
    return this.local
  }

  #begin(remote: IceParameters, nowMs: number): IceSession<Socket> {
    const session = newSession(this.#sockets, remote, this.role, this.#host.random, nowMs)
    this.#host.addFragment(session.local.usernameFragment, this)
    return session
  }

  #onSessionEnd(session: IceSession<Socket>): void {
    this.#host.removeFragment(session.local.usernameFragment)
    this.#underWay.endAll(session)
    for (const pair of session.list.pairs) this.#releaseUnlessUsed(pair)
  }

  #releaseUnlessUsed(pair: CandidatePair<Socket>): void {
    if (!this.#sessions.use(pair.socket, pair.remote)) this.#host.release(pair, this.#events)
  }

  /** Takes a request whose username begins with a fragment of ours. It may still come from anybody. */
  onRequest(datagram: Buffer, message: StunMessage, path: IcePath<Socket>, nowMs: number): void {
    const session = this.#sessions.named(message.username)
    if (!session || !isAuthentic(datagram, message, session.local.password)) return
    const { password } = session.local
    if (this.#role.insists(message)) {
      this.#host.send(writeBindingError(message.transactionId, ROLE_CONFLICT, password), path)
      return
    }
    const { address, port } = path.remote
    this.#host.send(writeBindingSuccess(message.transactionId, address, port, password), path)
    const pair = session.list.find(path.socket, path.remote) ?? this.#learn(session, path, message.priority)
    session.list.pay(pair)
    this.#host.claim(pair, this.#events, false)
    if (message.useCandidate && !this.#role.isControlling) this.#onNominated(session, pair, nowMs)
    this.#checkBack(session, pair, nowMs)
    this.tick(nowMs)
  }

  /** A new peer-reflexive candidate (RFC 8445, section 7.3.1.3). */
  #learn(
    session: IceSession<Socket>,
    { socket, remote }: IcePath<Socket>,
    priority: number,
  ): CandidatePair<Socket> {
    const excess = session.list.pairInExcess(this.#selected?.pair ?? null)
    if (excess) {
      session.list.remove(excess)
      this.#underWay.endAll(excess)
      this.#releaseUnlessUsed(excess)
    }
    return session.list.addPeerReflexive(socket, remote, priority)
  }

  /** The other side wants this pair to be used (RFC 8445, section 7.3.1.5): from when we know that it works both ways. */
  #onNominated(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (this.#isSelected(pair) || nowMs - pair.answeredAtMs <= FRESH_MS) this.#nominate(session, pair, nowMs)
    else pair.isToBeNominated = true
  }

  /** Triggers a check in the other direction (RFC 8445, section 7.3.1.4). */
  #checkBack(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (pair.state === 'succeeded' && !pair.isToBeNominated) return
    const check = this.#underWay.of(pair)
    if (check?.role === this.role) {
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
    const { pair } = check
    // An answer from elsewhere than was asked proves nothing (RFC 8445, section 7.2.5.2.1). The right one may still come.
    if (path.socket !== pair.socket || !sameAddress(path.remote, pair.remote)) return
    if (!isAnswerTo(check, datagram, message)) return
    this.#underWay.end(check)
    if (message.type === BINDING_SUCCESS) this.#onAnswered(check, nowMs)
    else this.#onRefused(check, message.errorCode)
    this.tick(nowMs)
  }

  #onRefused({ session, pair, role, isForConsent }: Check<Socket>, errorCode: number): void {
    if (errorCode === ROLE_CONFLICT) {
      this.#role.giveUp(role)
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
    if (this.#isSelected(pair)) this.#onConsent(nowMs)
    if (isForConsent) return
    const isNominated = this.#role.isControlling ? nominates : wasToBeNominated
    if (isNominated) this.#nominate(session, pair, nowMs)
    else if (this.#isBetter(session, pair)) this.#select(session, pair, nowMs)
  }

  #isSelected(pair: CandidatePair<Socket>): boolean {
    return pair === this.#selected?.pair
  }

  /** Whether a pair that is not nominated is to be used: in place of none, a dead one, or another that is not nominated. */
  #isBetter(session: IceSession<Socket>, pair: CandidatePair<Socket>): boolean {
    if (!this.#selected) return true
    if (this.#isSelected(pair)) return false
    return this.#state === 'disconnected' || this.#selected.yieldsTo(session, pair, this.role)
  }

  /** Uses a pair that works and is nominated, unless another one has the better claim. */
  #nominate(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    const selected = this.#selected
    if (session !== this.#sessions.latest && selected?.session === this.#sessions.latest) return
    const isBetter =
      !selected ||
      this.#state === 'disconnected' ||
      selected.yieldsToNominated(session, pair, this.role, nowMs)
    session.nominatedAtMs ??= nowMs
    if (isBetter && !this.#isSelected(pair)) this.#select(session, pair, nowMs)
  }

  #select(session: IceSession<Socket>, pair: CandidatePair<Socket>, nowMs: number): void {
    if (this.#state === 'closed') return
    const consent = new Consent(() => this.#host.random(2).readUInt16BE() / 65_535, nowMs)
    this.#selected = new Selection(session, pair, consent)
    if (session === this.#sessions.latest) this.#sessions.onPathOfLatest(nowMs)
    this.#events.onSelected(pair)
    this.#setState('connected')
  }

  #onConsent(nowMs: number): void {
    this.#selected?.consent.onAnswered(nowMs)
    this.#setState('connected')
  }

  /** Does what is due. */
  tick(nowMs: number): void {
    for (const { session, pair, isForConsent } of this.#underWay.tick(nowMs))
      if (!isForConsent) session.list.settle(pair, 'failed')
    this.#sessions.tick(nowMs)
    this.#watchConsent(nowMs)
    if (this.#state === 'checking' && nowMs >= this.#patienceEndsAtMs) this.#fail()
    if (this.#isOver) return
    if (nowMs >= this.#pacedUntilMs) this.#checkNext(nowMs)
    this.#schedule(nowMs)
  }

  get #isOver(): boolean {
    return this.#state === 'failed' || this.#state === 'closed'
  }

  get #patienceEndsAtMs(): number {
    return this.#sessions.latest.startedAtMs + PATIENCE_MS
  }

  #watchConsent(nowMs: number): void {
    if (!this.#selected) return
    const { session, pair, consent } = this.#selected
    if (consent.isExpired(nowMs)) {
      this.#onExpired()
      return
    }
    if (nowMs >= consent.checkAtMs) {
      consent.onSent(nowMs)
      this.#check(session, pair, { nominates: false, isForConsent: true }, nowMs)
    }
    if (consent.isSilent(nowMs) && this.#state === 'connected') this.#onSilence()
  }

  /** The selected pair may be dead. Another may still work, and a controlling side may choose anew. */
  #onSilence(): void {
    for (const session of this.#sessions.all) session.list.checkAgain()
    if (this.#role.isControlling) this.#sessions.latest.nominatedAtMs = null
    this.#setState('disconnected')
  }

  /** Nothing may be sent any more. A restart that is under way may still find a new path. */
  #onExpired(): void {
    const isRestarting = this.#selected?.session !== this.#sessions.latest
    this.#unselect()
    if (!isRestarting) this.#fail()
    else this.#setState('checking')
  }

  #unselect(): void {
    if (!this.#selected) return
    this.#selected = null
    this.#sessions.endPrevious()
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
      const pair = session.list.next(this.#leastToCheck(session), this.role)
      if (!pair) continue
      session.list.begin(pair)
      this.#check(session, pair, { nominates: false, isForConsent: false }, nowMs)
      return
    }
  }

  /** A session from before a restart is only answered once there is a path of the new one. */
  get #sessionsToCheck(): IceSession<Socket>[] {
    const { latest, all } = this.#sessions
    return this.#selected?.session === latest ? [latest] : all
  }

  /** Once a pair is nominated, those of a lower priority are left alone (RFC 8445, section 8.1.2). */
  #leastToCheck(session: IceSession<Socket>): CandidatePair<Socket> | null {
    const selected = this.#selected
    const isSettled = session === selected?.session && session.nominatedAtMs !== null
    return isSettled && this.#state === 'connected' ? selected.pair : null
  }

  /** Nominates the best pair where that is ours to do (RFC 8445, section 8.1.1). @returns whether a check has begun */
  #checkToNominate(nowMs: number): boolean {
    const session = this.#sessions.latest
    const best = this.#nominee()
    if (!best || nowMs < this.#nominationAtMs(best)) return false
    session.list.begin(best)
    this.#check(session, best, { nominates: true, isForConsent: false }, nowMs)
    return true
  }

  /** The pair that is to be nominated as things stand, or null. */
  #nominee(): CandidatePair<Socket> | null {
    const { latest } = this.#sessions
    const isOurs = this.#role.isControlling && latest.nominatedAtMs === null
    return isOurs && !this.#underWay.isNominating(latest) ? latest.list.bestAnswered(this.role) : null
  }

  #nominationAtMs(best: CandidatePair<Socket>): number {
    const { list, succeededAtMs } = this.#sessions.latest
    return list.mayImproveOn(best, this.role) ? (succeededAtMs ?? 0) + NOMINATION_PATIENCE_MS : 0
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
      tieBreaker: this.#role.tieBreaker,
      role: this.role,
      useCandidate: nominates,
    })
    const id = idOf(transactionId)
    const { role } = this
    this.#underWay.begin({ id, datagram, session, pair, role, nominates, isForConsent }, nowMs)
    if (!isForConsent) this.#pacedUntilMs = nowMs + PACE_MS
  }

  #schedule(nowMs: number): void {
    const nominee = this.#nominee()
    const hasNext = this.#sessionsToCheck.some(
      (session) => session.list.next(this.#leastToCheck(session), this.role) !== null,
    )
    this.dueAtMs = Math.min(
      this.#underWay.dueAtMs,
      this.#sessions.dueAtMs,
      this.#selected?.consent.dueAtMs(nowMs) ?? Number.POSITIVE_INFINITY,
      this.#state === 'checking' ? this.#patienceEndsAtMs : Number.POSITIVE_INFINITY,
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
    this.#sessions.endPrevious()
    this.#underWay.endAll()
    const { local, list } = this.#sessions.latest
    this.#host.removeFragment(local.usernameFragment)
    for (const pair of list.pairs) this.#host.release(pair, this.#events)
    this.dueAtMs = Number.POSITIVE_INFINITY
  }
}

/** A transaction id as the key of a map. */
export function idOf(transactionId: Buffer): string {
  return transactionId.toString('latin1')
}
