import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { LegState } from '../../media/channel.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Member } from './member.ts'
import type { MediaDirections } from './member-role.ts'
import { within } from './within.ts'

/** A leg without media after this time is given up. */
const CONNECT_TIMEOUT_MS = 30_000
/** How long a leg may be renegotiated after its transport failed. The browser itself gives up after 12 s. */
const RESTART_GRACE_MS = 15_000
/** Together with the time-out for a new media room, this stays below the 10 s after which clients give up a request. */
const NEGOTIATION_TIMEOUT_MS = 5000

/**
 * How the client of a member and its media reach the server. `away`: its socket is gone, and its seat is kept for a
 * while. `connecting`: no media yet. `interrupted`: they came, and do not at the moment.
 */
export type ConnectionState = 'connected' | 'connecting' | 'interrupted' | 'away'

/** One leg of a member: the connection between its browser and the media room. */
export interface Leg {
  readonly id: string
  readonly member: Member
  /** Whether its first offer has been answered. */
  readonly isAnswered: boolean
  /** Whether the worker that served it has ended. The room goes on, but no offer can bring this leg back. */
  readonly isGone: boolean
}

interface WatchedLeg extends Leg {
  state: LegState | 'connecting'
  isAnswered: boolean
  isGone: boolean
  wasConnected: boolean
  giveUp: Timer | null
}

export interface SessionLegsOptions {
  sessionId: string
  media: MediaRoom
  clock: Clock
  log: Logger
  /** @throws Refusal once the session has ended */
  checkOpen: () => void
  /** Called when the transport of a leg changed. */
  onState: () => void
  /** Called for each leg that has lost its media for good. The leg is not removed by that. */
  onLost: (leg: Leg) => void
  /** Called for each leg that was closed, for whatever reason. */
  onClosed: (leg: Leg) => void
}

/** The legs of a session. Negotiates them with the media room and decides when one is lost. */
export class SessionLegs {
  readonly #options: SessionLegsOptions
  readonly #legs = new Map<string, WatchedLeg>()

  constructor(options: SessionLegsOptions) {
    this.#options = options
    options.media.on('leg', ({ legId, state }) => this.#setState(legId, state))
    options.media.on('legGone', ({ legId }) => this.#setGone(legId))
  }

  get(legId: string): Leg | undefined {
    return this.#legs.get(legId)
  }

  of(member: Member): WatchedLeg[] {
    return [...this.#legs.values()].filter((leg) => leg.member === member)
  }

  /** How the media of a member reach the server. The worst of its legs decides. */
  stateOf(member: Member): Exclude<ConnectionState, 'away'> {
    const legs = this.of(member)
    if (legs.some(({ state, wasConnected }) => wasConnected && state !== 'connected')) return 'interrupted'
    return legs.length > 0 && legs.every(({ state }) => state === 'connected') ? 'connected' : 'connecting'
  }

  /**
   * Negotiates the media of a new member. If that fails, nothing of the leg is left.
   * @returns the SDP answer
   * @throws Refusal `media_failed`, `unavailable`, `session_ended`, or `provided_id_is_unrecognized` when the leg
   * was closed meanwhile
   */
  async connect(legId: string, member: Member, offer: string): Promise<string> {
    const leg = this.#begin(legId, member)
    try {
      this.inBackground(this.#options.media.setMember(member.media))
      return await this.#negotiate(leg, offer)
    } catch (error) {
      this.disconnect(member)
      throw error
    }
  }

  /**
   * Negotiates another leg for a member who has one. If that fails, only the new leg is gone.
   * @returns the SDP answer
   * @throws Refusal as {@link connect}
   */
  async connectAnother(
    legId: string,
    member: Member,
    offer: string,
    directions: MediaDirections,
  ): Promise<string> {
    const leg = this.#begin(legId, member)
    try {
      return await this.#negotiate(leg, offer, directions)
    } catch (error) {
      this.close(legId)
      throw error
    }
  }

  /**
   * Answers a new offer on an existing leg: a media update, an ICE restart or a page reload.
   * @throws Refusal as {@link connect}
   */
  async renegotiate(legId: string, offer: string): Promise<string> {
    const leg = this.#legs.get(legId)
    if (!leg) throw new Refusal('provided_id_is_unrecognized', 'There is no such call any more. Join again.')
    const answer = await this.#negotiate(leg, offer)
    if (leg.state !== 'connected') this.#giveUpAfter(leg, CONNECT_TIMEOUT_MS)
    return answer
  }

  /** @throws Refusal `provided_id_is_unrecognized` if the leg was closed while the caller awaited something else */
  checkPresent(legId: string): void {
    if (!this.#legs.has(legId)) throw new Refusal('provided_id_is_unrecognized', 'The call was ended.')
  }

  /** Closes one leg. The media room keeps its member. */
  close(legId: string): void {
    if (this.#forget(legId)) this.inBackground(this.#options.media.closeLeg(legId))
  }

  /** Closes all legs of a member and removes the member from the media room. */
  disconnect(member: Member): void {
    for (const leg of this.of(member)) this.close(leg.id)
    this.inBackground(this.#options.media.removeMember(member.id))
  }

  /** Forgets all legs without closing them one by one, because the whole media room is closed. */
  clear(): void {
    for (const legId of [...this.#legs.keys()]) this.#forget(legId)
  }

  /** The participant is connected again. Legs that failed meanwhile get time to be renegotiated. */
  giveTimeTo(member: Member): void {
    for (const leg of this.#legs.values()) {
      if (leg.member === member && leg.state === 'failed') {
        this.#giveUpAfter(leg, leg.isGone ? 0 : RESTART_GRACE_MS)
      }
    }
  }

  /** Does not wait for a media request and only logs its failure. If the media worker dies, the session ends anyway. */
  inBackground(request: Promise<unknown>): void {
    const { log, sessionId } = this.#options
    request.catch((error: unknown) => log.debug({ err: error, sessionId }, 'media request failed'))
  }

  #begin(legId: string, member: Member): WatchedLeg {
    const leg: WatchedLeg = {
      id: legId,
      member,
      state: 'connecting',
      isAnswered: false,
      isGone: false,
      wasConnected: false,
      giveUp: null,
    }
    this.#legs.set(legId, leg)
    this.#giveUpAfter(leg, CONNECT_TIMEOUT_MS)
    return leg
  }

  async #negotiate(leg: WatchedLeg, offer: string, directions = leg.member.directions): Promise<string> {
    const { media, clock, log, sessionId, checkOpen } = this.#options
    const { id: legId, member } = leg
    try {
      const negotiation = media.connectLeg({ legId, memberId: member.id, offer, ...directions })
      const { answer } = await within(clock, NEGOTIATION_TIMEOUT_MS, negotiation)
      checkOpen()
      this.checkPresent(legId)
      leg.isAnswered = true
      return answer
    } catch (error) {
      checkOpen()
      if (error instanceof Refusal) throw error
      log.warn({ err: error, sessionId, legId }, 'offer not answered')
      throw new Refusal('media_failed', {
        message: 'The media of this call could not be set up. Join again.',
        cause: error,
      })
    }
  }

  #setState(legId: string, state: LegState): void {
    const leg = this.#legs.get(legId)
    if (!leg) return
    leg.state = state
    if (state === 'connected') {
      leg.wasConnected = true
      leg.giveUp?.cancel()
      leg.giveUp = null
    } else if (state === 'failed') {
      this.#giveUpAfter(leg, leg.wasConnected ? RESTART_GRACE_MS : 0)
    }
    this.#options.onState()
  }

  #setGone(legId: string): void {
    const leg = this.#legs.get(legId)
    if (!leg) return
    leg.isGone = true
    leg.state = 'failed'
    this.#giveUpAfter(leg, 0)
    this.#options.onState()
  }

  #giveUpAfter(leg: WatchedLeg, delayMs: number): void {
    leg.giveUp?.cancel()
    leg.giveUp = this.#options.clock.after(delayMs, () => {
      leg.giveUp = null
      if (this.#legs.get(leg.id) === leg) this.#options.onLost(leg)
    })
  }

  #forget(legId: string): boolean {
    const leg = this.#legs.get(legId)
    if (!leg) return false
    leg.giveUp?.cancel()
    this.#legs.delete(legId)
    this.#options.onClosed(leg)
    return true
  }
}
