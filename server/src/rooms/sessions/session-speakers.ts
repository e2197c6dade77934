import type { Clock, Timer } from '../../clock.ts'
import type { Member } from './member.ts'

/** After this much speech, the speaker gets the large tile of a highlight. */
const HIGHLIGHT_AFTER_MS = 1500
/** A speaker keeps the large tile at least for this long. */
const HIGHLIGHT_KEPT_MS = 3000
/** After this much speech, a speaker without a place may take another's. It may try again after the same time. */
const PLACE_AFTER_MS = 2000
/** A pause between two sentences. The media worker reports silence 300 ms late, which is not part of this. */
const PAUSE_MS = 500

interface Speech {
  /** Times of the session's clock. */
  startedAt: number
  /** Null while the member speaks. */
  pausedAt: number | null
  /** When this speech next counts for a place. */
  nextPlaceAt: number
  timer: Timer | null
}

export interface SessionSpeakersOptions {
  /** A steady clock. */
  clock: Clock
  /** Another member is highlighted, or nobody any more. */
  onHighlight: () => void
  /** The member has spoken long enough to take a place. Called again and again while it goes on. */
  onLongSpeech: (member: Member) => void
}

/** Knows who speaks, for how long, and who has been silent for how long. Decides who is highlighted. */
export class SessionSpeakers {
  readonly #options: SessionSpeakersOptions
  readonly #speeches = new Map<Member, Speech>()
  readonly #lastHeardAt = new WeakMap<Member, number>()
  #highlighted: { member: Member; since: number } | null = null
  #switch: Timer | null = null

  constructor(options: SessionSpeakersOptions) {
    this.#options = options
  }

  /** Id of the member who spoke last for long enough. Null if nobody has, or if that member has left. */
  get highlighted(): string | null {
    return this.#highlighted?.member.id ?? null
  }

  /** The member began or ceased to talk. Ignored if it is no news. */
  talking(member: Member, isTalking: boolean): void {
    const speech = this.#speeches.get(member)
    if (isTalking) this.#begin(member, speech)
    else if (speech && speech.pausedAt === null) this.#pause(member, speech)
  }

  /** When the member was last heard, by the session's clock. Null if it never was. Infinity while it speaks. */
  lastHeardAt(member: Member): number | null {
    const speech = this.#speeches.get(member)
    if (speech && speech.pausedAt === null) return Number.POSITIVE_INFINITY
    return this.#lastHeardAt.get(member) ?? null
  }

  /** The member has left. */
  forget(member: Member): void {
    this.#speeches.get(member)?.timer?.cancel()
    this.#speeches.delete(member)
    if (this.#highlighted?.member === member) this.#highlighted = null
  }

  /** Stops all timers. */
  close(): void {
    for (const { timer } of this.#speeches.values()) timer?.cancel()
    this.#speeches.clear()
    this.#switch?.cancel()
  }

  #begin(member: Member, before: Speech | undefined): void {
    const now = this.#options.clock.now()
    if (before && before.pausedAt === null) return
    const goesOn = before && now - (before.pausedAt ?? now) <= PAUSE_MS
    const speech = goesOn
      ? { ...before, pausedAt: null }
      : { startedAt: now, pausedAt: null, nextPlaceAt: now + PLACE_AFTER_MS, timer: null }
    this.#speeches.set(member, speech)
    this.#await(member, speech, speech.startedAt + HIGHLIGHT_AFTER_MS)
  }

  #pause(member: Member, speech: Speech): void {
    const now = this.#options.clock.now()
    speech.timer?.cancel()
    speech.pausedAt = now
    this.#lastHeardAt.set(member, now)
  }

  /** Waits for the next moment at which the length of a speech matters. */
  #await(member: Member, speech: Speech, dueAt: number): void {
    const { clock } = this.#options
    speech.timer = clock.after(Math.max(0, dueAt - clock.now()), () => {
      this.#highlight(member)
      if (clock.now() >= speech.nextPlaceAt) {
        speech.nextPlaceAt = clock.now() + PLACE_AFTER_MS
        this.#options.onLongSpeech(member)
      }
      if (this.#speeches.get(member) === speech) this.#await(member, speech, speech.nextPlaceAt)
    })
  }

  #highlight(member: Member): void {
    const { clock, onHighlight } = this.#options
    if (this.#highlighted?.member === member) return
    const keptUntil = (this.#highlighted?.since ?? Number.NEGATIVE_INFINITY) + HIGHLIGHT_KEPT_MS
    this.#switch?.cancel()
    this.#switch = null
    if (clock.now() >= keptUntil) {
      this.#highlighted = { member, since: clock.now() }
      onHighlight()
      return
    }
    this.#switch = clock.after(keptUntil - clock.now(), () => {
      if (this.#speeches.get(member)?.pausedAt === null) this.#highlight(member)
    })
  }
}
