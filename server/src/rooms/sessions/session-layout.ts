import type { Clock, Timer } from '../../clock.ts'
import { DEFAULT_LAYOUT, isLayoutName, type LayoutName } from '../../resources/layout-names.ts'
import type { Layout, LayoutOptions } from '../layouts/layout-types.ts'
import { arrange, currentPositions } from '../layouts/layouts.ts'
import type { Member } from './member.ts'

/**
 * In a large session, layout changes are gathered for this long per member, because each layout is sent to all
 * members and lists all members.
 */
const PACE_MS_PER_MEMBER = 3
/** Below this number of members, every change is sent at once. */
const CROWD = 25

export interface SessionLayoutOptions {
  clock: Clock
  /** Name of the room's layout. An unknown name counts as the default. */
  layout: string
  /** The room's settings for layouts, as they are now. */
  options: () => LayoutOptions
  /** Members to show, in the order in which they joined. */
  members: () => readonly Member[]
  /** Called with a new layout. It must be sent to all participants and to the media room. */
  onChange: (layout: Layout) => void
}

/**
 * Decides where members are shown on the composed picture. It is the only source of geometry for clients and media
 * room.
 */
export class SessionLayout {
  readonly layoutName: LayoutName
  readonly #options: SessionLayoutOptions
  #layout: Layout
  #arrangedAt = Number.NEGATIVE_INFINITY
  #pending: Timer | null = null

  constructor(options: SessionLayoutOptions) {
    this.#options = options
    this.layoutName = isLayoutName(options.layout) ? options.layout : DEFAULT_LAYOUT
    this.#layout = arrange(this.layoutName, [], options.options())
  }

  get layout(): Layout {
    return this.#layout
  }

  /** Members joined, left or changed. */
  arrange(): void {
    if (this.#pending) return
    const count = this.#options.members().length
    const paceMs = count < CROWD ? 0 : count * PACE_MS_PER_MEMBER
    const delayMs = this.#arrangedAt + paceMs - this.#options.clock.now()
    if (delayMs <= 0) this.#arrangeNow()
    else this.#pending = this.#options.clock.after(delayMs, () => this.#arrangeNow())
  }

  /** Stops arranging. */
  close(): void {
    this.#pending?.cancel()
  }

  #arrangeNow(): void {
    const { clock, members, options, onChange } = this.#options
    this.#pending = null
    this.#arrangedAt = clock.now()
    const shown = members()
    this.#layout = arrange(this.layoutName, shown, options())
    const positions = currentPositions(this.#layout)
    for (const member of shown) member.currentPosition = positions.get(member.id) ?? member.currentPosition
    onChange(this.#layout)
  }
}
