import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { LegState } from '../../media/channel.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Member } from './member.ts'
import { SessionRefusal } from './refusal.ts'
import { within } from './within.ts'

/** A leg whose media never came up by then is given up. */
const CONNECT_TIMEOUT_MS = 30_000
/** After its transport failed, a leg may be negotiated anew for so long (the browser itself gives up after 12 s). */
const RESTART_GRACE_MS = 15_000
/** Together with the time that a new media room may take, below the 10 s after which clients give up a request. */
const NEGOTIATION_TIMEOUT_MS = 5000

/** One call of a member: what passes between its browser and the media room. */
export interface Leg {
  readonly id: string
  readonly member: Member
}

interface WatchedLeg extends Leg {
  state: LegState | 'connecting'
  wasConnected: boolean
  giveUp: Timer | null
}

export interface SessionLegsOptions {
  sessionId: string
  media: MediaRoom
  clock: Clock
  log: Logger
  /** @throws SessionRefusal once the session has ended */
  checkOpen: () => void
  /** Told of each leg that is without media for good; it is not removed by that. */
  onLost: (leg: Leg) => void
  /** Told of each leg that is gone, by whomever it was closed. */
  onClosed: (leg: Leg) => void
}

/** The legs of a session: their negotiation with the media room, and when one counts as lost. */
export class SessionLegs {
  readonly #options: SessionLegsOptions
  readonly #legs = new Map<string, WatchedLeg>()

  constructor(options: SessionLegsOptions) {
    this.#options = options
    options.media.on('leg', ({ legId, state }) => this.#setState(legId, state))
  }

  get(legId: string): Leg | undefined {
    return this.#legs.get(legId)
  }

  of(member: Member): Leg[] {
    return [...this.#legs.values()].filter((leg) => leg.member === member)
  }

  /**
   * Gives a new member its media; nothing of it stays when that fails.
   * @returns the SDP answer
   * @throws SessionRefusal `media`, `unavailable`, `ended`, or `not_found` when the leg was closed meanwhile
   */
  async connect(legId: string, member: Member, offer: string): Promise<string> {
    const leg: WatchedLeg = { id: legId, member, state: 'connecting', wasConnected: false, giveUp: null }
    this.#legs.set(legId, leg)
    this.#giveUpAfter(leg, CONNECT_TIMEOUT_MS)
    try {
      this.inBackground(this.#options.media.setMember(member.media))
      return await this.#negotiate(leg, offer)
    } catch (error) {
      this.disconnect(member)
      throw error
    }
  }

  /**
   * Answers a new offer on a leg that is there: a media update, an ICE restart or a page reload.
   * @throws SessionRefusal as {@link connect}
   */
  async renegotiate(legId: string, offer: string): Promise<string> {
    const leg = this.#legs.get(legId)
    if (!leg) throw new SessionRefusal('not_found', 'There is no such call any more. Join again.')
    const answer = await this.#negotiate(leg, offer)
    if (leg.state !== 'connected') this.#giveUpAfter(leg, CONNECT_TIMEOUT_MS)
    return answer
  }

  /** @throws SessionRefusal `not_found` when the leg was closed while something else was awaited */
  checkPresent(legId: string): void {
    if (!this.#legs.has(legId)) throw new SessionRefusal('not_found', 'The call was ended.')
  }

  /** Closes one leg; its member stays known to the media room. */
  close(legId: string): void {
    if (this.#forget(legId)) this.inBackground(this.#options.media.closeLeg(legId))
  }

  /** Closes all legs of a member and has the media room forget it. */
  disconnect(member: Member): void {
    for (const leg of this.of(member)) this.close(leg.id)
    this.inBackground(this.#options.media.removeMember(member.id))
  }

  /** The media room is closed as a whole: nothing is left to wait for. */
  clear(): void {
    for (const legId of [...this.#legs.keys()]) this.#forget(legId)
  }

  /** A participant came back: legs of it that broke in the meantime get their time to be negotiated anew. */
  giveTimeTo(member: Member): void {
    for (const leg of this.#legs.values()) {
      if (leg.member === member && leg.state === 'failed') this.#giveUpAfter(leg, RESTART_GRACE_MS)
    }
  }

  /** The media worker does it when it can; when it dies, the session ends by that. */
  inBackground(request: Promise<unknown>): void {
    const { log, sessionId } = this.#options
    request.catch((error: unknown) => log.debug({ err: error, sessionId }, 'media request failed'))
  }

  async #negotiate(leg: WatchedLeg, offer: string): Promise<string> {
    const { media, clock, log, sessionId, checkOpen } = this.#options
    const { id: legId, member } = leg
    try {
      const negotiation = media.connectLeg({ legId, memberId: member.id, offer, ...member.directions })
      const { answer } = await within(clock, NEGOTIATION_TIMEOUT_MS, negotiation)
      checkOpen()
      this.checkPresent(legId)
      return answer
    } catch (error) {
      checkOpen()
      if (error instanceof SessionRefusal) throw error
      log.warn({ err: error, sessionId, legId }, 'offer not answered')
      throw new SessionRefusal('media', 'The media of this call could not be set up. Join again.', {
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
