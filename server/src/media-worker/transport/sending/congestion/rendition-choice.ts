/** Down at once where the network carries less than this much of what is sent, and after a while below the second. */
const FAR_TOO_MUCH = 0.7
const TOO_MUCH = 0.9
const TOO_MUCH_FOR_MS = 2000
/** Up where so much more than what the full picture needs was really sent without congestion, for so long. */
const ROOM_ABOVE = 1.1
const ENOUGH_FOR_MS = 1000
/** Time at the small picture before the first try to come up. It doubles with each try that fails. */
const FIRST_WAIT_MS = 8000
const LONGEST_WAIT_MS = 60_000
/** Falling again within this time after coming up is a try that failed; having stayed up as long makes up for all before. */
const PROVEN_MS = 30_000
/** Padding makes what is sent grow by so much in a second: a queue that begins to grow is noticed before anybody hears it. */
const PADDED_GROWTH_PER_S = 1.2
const LONGEST_TRY_MS = 20_000
/** What may pass between two looks. */
const LONGEST_STEP_MS = 500

/** `full` is what the room's quality says, `small` is for slow networks. */
export type Rendition = 'full' | 'small'

/** What a {@link RenditionChoice} judges by; all in bit/s. */
export interface DownlinkState {
  estimateBps: number
  /** The network has just said that it gets too much. */
  isCongested: boolean
  /** It may be about to say so. */
  isFilling: boolean
  /** What was sent in the last second, all in all. */
  sentBps: number
  /** What would be sent with the full picture. */
  fullBps: number
}

/**
 * Chooses which picture a browser gets. Who sends little learns little of what a network carries, so before going up the
 * rate is raised step by step with padding, until the full picture would fit. Tries that fail become rare.
 */
export class RenditionChoice {
  rendition: Rendition = 'full'
  /** Rate in bit/s that padding should fill up what is sent to; 0 for no padding. */
  paddedBps = 0
  #changedAtMs = Number.NEGATIVE_INFINITY
  #tooMuchSinceMs: number | null = null
  #enoughSinceMs: number | null = null
  #waitMs = FIRST_WAIT_MS
  #waitsSinceMs = 0
  #tryingSinceMs = 0
  #lookedAtMs = 0

  /** Looks again; to be called some ten times a second. @returns whether {@link rendition} has changed */
  update(nowMs: number, state: DownlinkState): boolean {
    const before = this.rendition
    if (before === 'full') this.#mayGoDown(nowMs, state)
    else this.#mayGoUp(nowMs, state)
    this.#lookedAtMs = nowMs
    return this.rendition !== before
  }

  #mayGoDown(nowMs: number, { estimateBps, isCongested, sentBps }: DownlinkState): void {
    if (nowMs - this.#changedAtMs > PROVEN_MS) this.#waitMs = FIRST_WAIT_MS
    if (estimateBps >= TOO_MUCH * sentBps) {
      this.#tooMuchSinceMs = null
      return
    }
    // What the network has not complained of is not too much, whatever the estimate.
    if (this.#tooMuchSinceMs === null && !isCongested) return
    this.#tooMuchSinceMs ??= nowMs
    if (estimateBps >= FAR_TOO_MUCH * sentBps && nowMs - this.#tooMuchSinceMs < TOO_MUCH_FOR_MS) return
    if (nowMs - this.#changedAtMs < PROVEN_MS) this.#waitLonger()
    this.#change('small', nowMs)
  }

  #mayGoUp(nowMs: number, state: DownlinkState): void {
    const neededBps = ROOM_ABOVE * state.fullBps
    if (state.isCongested || (state.isFilling && this.paddedBps > 0)) {
      if (this.paddedBps > 0) this.#waitLonger()
      this.#rest(nowMs)
      return
    }
    if (Math.min(state.estimateBps, state.sentBps) < neededBps) this.#enoughSinceMs = null
    else this.#enoughSinceMs ??= nowMs
    if (this.#enoughSinceMs !== null && nowMs - this.#enoughSinceMs >= ENOUGH_FOR_MS)
      this.#change('full', nowMs)
    else this.#try(nowMs, state.sentBps, neededBps)
  }

  #try(nowMs: number, sentBps: number, neededBps: number): void {
    if (this.paddedBps === 0) {
      if (nowMs - this.#waitsSinceMs < this.#waitMs) return
      this.#tryingSinceMs = nowMs
      this.paddedBps = Math.max(sentBps, 1)
    } else if (nowMs - this.#tryingSinceMs > LONGEST_TRY_MS) {
      this.#waitLonger()
      this.#rest(nowMs)
      return
    }
    const seconds = Math.min(LONGEST_STEP_MS, nowMs - this.#lookedAtMs) / 1000
    this.paddedBps = Math.min(neededBps * ROOM_ABOVE, this.paddedBps * PADDED_GROWTH_PER_S ** seconds)
  }

  #change(to: Rendition, nowMs: number): void {
    this.rendition = to
    this.#changedAtMs = nowMs
    this.#rest(nowMs)
  }

  #rest(nowMs: number): void {
    this.paddedBps = 0
    this.#waitsSinceMs = nowMs
    this.#tooMuchSinceMs = this.#enoughSinceMs = null
  }

  #waitLonger(): void {
    this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2)
  }
}
