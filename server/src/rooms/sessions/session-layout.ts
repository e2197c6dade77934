import type { Clock, Timer } from '../../clock.ts'
import { DEFAULT_LAYOUT, isLayoutName, type LayoutName } from '../../resources/layout-names.ts'
import type { Layout, LayoutFile, LayoutOptions } from '../layouts/layout-types.ts'
import { arrange, currentPositions } from '../layouts/layouts.ts'
import type { Member } from './member.ts'
import type { MemberField } from './participant.ts'
import { type Placeable, RequestedPositions } from './requested-positions.ts'
import { SessionSpeakers } from './session-speakers.ts'
import { TemporaryLayouts } from './temporary-layouts.ts'

/**
 * In a large session, layout changes are gathered for this long per member, because each layout is sent to all
 * members and lists all members.
 */
const PACE_MS_PER_MEMBER = 3
/** Below this number of members, every change is sent at once. */
const CROWD = 25

/** A file that is played, with the place that it was requested to have. */
export type PlacedFile = LayoutFile & Placeable

/** What changed with a new arrangement. */
export interface ArrangementChange {
  layout: Layout
  /** Members whose position or visibility changed, with the names of their changed fields. */
  updated: ReadonlyMap<Member, readonly MemberField[]>
  isNewLayout: boolean
}

/** The layout and the positions that a screen share or a file brings along. */
export interface LayoutWish {
  layout?: LayoutName
  /** Positions by member id. The key `self` means the share or file itself. Ids of nobody are ignored. */
  positions?: Readonly<Record<string, string>>
}

export interface SessionLayoutOptions {
  clock: Clock
  /** Name of the room's layout. An unknown name counts as the default. */
  layout: string
  /** The room's settings for layouts, as they are now. */
  options: () => LayoutOptions
  /** Whether a speaker without a place takes that of the member who has been silent for longest. */
  speakersTakePlaces: boolean
  /** Members to show, in the order in which they joined. */
  members: () => readonly Member[]
  /** Files that are played, in the order in which they were started. */
  files: () => readonly PlacedFile[]
  /** Somebody set a layout, or requested a position. For the history of the session. */
  onRequest: (request: { layoutName: LayoutName } | { who: Placeable }) => void
  /** Called with a new arrangement. It must be sent to all participants and to the media room. */
  onChange: (change: ArrangementChange) => void
}

/**
 * Decides where members are shown on the composed picture. It is the only source of geometry for clients and media
 * room.
 */
export class SessionLayout {
  readonly #options: SessionLayoutOptions
  readonly #requests = new RequestedPositions()
  readonly #temporary = new TemporaryLayouts()
  readonly #speakers: SessionSpeakers
  /** Ranks of members: lower ones are placed first. They begin in the order of joining, and speakers exchange theirs. */
  readonly #ranks = new WeakMap<Member, number>()
  #lastRank = 0
  #layoutName: LayoutName
  #layout: Layout
  /** Those whose requested position changed since the last arrangement. */
  #requested = new Set<Placeable>()
  #isNewLayout = false
  #arrangedAt = Number.NEGATIVE_INFINITY
  #pending: Timer | null = null

  constructor(options: SessionLayoutOptions) {
    this.#options = options
    this.#layoutName = isLayoutName(options.layout) ? options.layout : DEFAULT_LAYOUT
    this.#layout = arrange(this.#layoutName, [], options.options())
    this.#speakers = new SessionSpeakers({
      clock: options.clock,
      onHighlight: () => this.#layoutName === 'highlight-1-responsive' && this.arrange(),
      onLongSpeech: (member) => this.#givePlaceTo(member),
    })
  }

  get layoutName(): LayoutName {
    return this.#layoutName
  }

  get layout(): Layout {
    return this.#layout
  }

  /** Members or files joined, left or changed. */
  arrange(): void {
    if (this.#isDue()) this.#arrangeNow()
    else this.#pending ??= this.#options.clock.after(this.#delayMs(), () => this.#arrangeNow())
  }

  /**
   * A member has joined.
   * @param announce tells everybody of it. Usually the member has its place by then
   */
  joined(member: Member, announce: () => void): void {
    if (this.#isDue()) {
      this.#arrangeNow({ member, announce })
    } else {
      announce()
      this.arrange()
    }
  }

  /** A member has left. */
  left(member: Member): void {
    this.#speakers.forget(member)
    // Somebody who went to the audience may come back, as a newcomer.
    this.#ranks.delete(member)
    this.end(member)
    this.arrange()
  }

  /** Somebody sets the layout, and maybe positions with it. It stays when a screen share ends. */
  setLayout(name: LayoutName, positions: ReadonlyMap<Placeable, string> = new Map()): void {
    this.#temporary.clear()
    this.#switchTo(name)
    this.setPositions(positions)
  }

  /** Requests positions. Whoever requested one of these places before goes back to `auto`. */
  setPositions(positions: ReadonlyMap<Placeable, string>): void {
    for (const [who, position] of positions) this.#request(who, position)
    if (this.#requested.size > 0 || this.#isNewLayout) this.#arrangeNow()
  }

  /**
   * A screen share or a file begins, with its own layout and positions. They become effective with the next
   * arrangement; the caller asks for it.
   */
  begin(owner: Placeable, { layout, positions = {} }: LayoutWish): void {
    if (layout !== undefined && layout !== this.#layoutName) {
      this.#temporary.add(owner, this.#layoutName)
      this.#switchTo(layout)
    }
    const members = new Map<string, Placeable>(this.#options.members().map((member) => [member.id, member]))
    for (const [id, position] of Object.entries(positions)) {
      const who = id === 'self' ? owner : members.get(id)
      if (who) this.#request(who, position)
    }
  }

  /**
   * A screen share or a file ends. If the layout is still the one that it brought along, the one before comes back with
   * the next arrangement.
   */
  end(owner: Placeable): void {
    const before = this.#temporary.end(owner)
    if (before) this.#switchTo(before)
  }

  /** A member began or ceased to talk. What an extra microphone hears is said by its owner. */
  talking(source: Member): void {
    const speaker = speakerOf(source)
    if (!speaker) return
    const isTalking = this.#options.members().some((one) => one.talking && speakerOf(one) === speaker)
    this.#speakers.talking(speaker, isTalking)
  }

  /** Stops arranging. */
  close(): void {
    this.#pending?.cancel()
    this.#speakers.close()
  }

  /** What somebody asked for is done at once, also in a crowd. */
  #isDue(): boolean {
    return this.#requested.size > 0 || this.#isNewLayout || this.#delayMs() <= 0
  }

  #delayMs(): number {
    const count = this.#options.members().length
    const paceMs = count < CROWD ? 0 : count * PACE_MS_PER_MEMBER
    return this.#arrangedAt + paceMs - this.#options.clock.now()
  }

  #switchTo(name: LayoutName): void {
    if (name === this.#layoutName) return
    this.#layoutName = name
    this.#isNewLayout = true
    this.#options.onRequest({ layoutName: name })
  }

  #request(who: Placeable, position: string): void {
    const { members, files, onRequest } = this.#options
    for (const one of this.#requests.request(who, position, [...members(), ...files()])) {
      this.#requested.add(one)
      onRequest({ who: one })
    }
  }

  #arrangeNow(newcomer?: { member: Member; announce: () => void }): void {
    const { clock, options, files, onChange } = this.#options
    this.#pending?.cancel()
    this.#pending = null
    this.#arrangedAt = clock.now()
    const members = this.#inOrder()
    const { highlighted } = this.#speakers
    this.#layout = arrange(this.#layoutName, members, { ...options(), speaker: highlighted }, files())
    const updated = this.#place(members)
    const isNewLayout = this.#isNewLayout
    this.#isNewLayout = false
    this.#requested = new Set()
    // The announcement says where the newcomer is.
    if (newcomer) updated.delete(newcomer.member)
    newcomer?.announce()
    onChange({ layout: this.#layout, updated, isNewLayout })
  }

  /** Members by rank. Newcomers get the last ranks. */
  #inOrder(): Member[] {
    const members = this.#options.members()
    for (const member of members) if (!this.#ranks.has(member)) this.#ranks.set(member, ++this.#lastRank)
    return members.toSorted((one, other) => this.#rank(one) - this.#rank(other))
  }

  #rank(member: Member): number {
    return this.#ranks.get(member) ?? Number.MAX_VALUE
  }

  /** Writes the arrangement into the members. @returns those that changed by it */
  #place(members: readonly Member[]): Map<Member, MemberField[]> {
    const positions = currentPositions(this.#layout)
    const hidden = coveredMembers(this.#layout)
    const updated = new Map<Member, MemberField[]>()
    for (const member of members) {
      const fields: MemberField[] = this.#requested.has(member) ? ['requested_position'] : []
      const position = positions.get(member.id) ?? 'off-canvas'
      fields.push(...member.place(position, position !== 'off-canvas' && !hidden.has(member.id)))
      if (fields.length > 0) updated.set(member, fields)
    }
    return updated
  }

  /** A speaker without a place takes that of the member who has been silent for longest and asked for none. */
  #givePlaceTo(speaker: Member): void {
    const { speakersTakePlaces, options } = this.#options
    if (!speakersTakePlaces || !this.#layout.waiting.includes(speaker.id)) return
    const isFirst = (member: Member) => options().prioritizeHandraise && member.handRaisedAt !== null
    const automatic = new Set(this.#layout.automatic)
    const lastHeardAt = (member: Member) => this.#speakers.lastHeardAt(member) ?? Number.NEGATIVE_INFINITY
    const silent = this.#inOrder()
      .filter((one) => automatic.has(one.id) && !isFirst(one) && lastHeardAt(one) < Number.POSITIVE_INFINITY)
      .reduce<Member | null>(
        (one, other) => (one && lastHeardAt(one) <= lastHeardAt(other) ? one : other),
        null,
      )
    if (!silent) return
    const [rank, taken] = [this.#rank(speaker), this.#rank(silent)]
    this.#ranks.set(speaker, taken)
    this.#ranks.set(silent, rank)
    this.arrange()
  }
}

/** Who speaks by this microphone. Null for a screen share, whose sound is nobody's voice. */
function speakerOf(source: Member): Member | null {
  if (source.type === 'screen') return null
  return source.sendsVideo ? source : (source.parent ?? source)
}

/** Members whose tile lies under a picture that fills the canvas. */
function coveredMembers({ layers }: Layout): Set<string> {
  const top = layers.findLastIndex(({ position }) => position === 'playback' || position === 'full-screen')
  return new Set(layers.slice(0, Math.max(0, top)).flatMap(({ member_id }) => member_id ?? []))
}
