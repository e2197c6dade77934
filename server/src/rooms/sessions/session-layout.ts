import type { Clock, Timer } from '../../clock.ts'
import { DEFAULT_LAYOUT, isLayoutName, type LayoutName } from '../../resources/layout-names.ts'
import type { Layout, LayoutOptions } from '../layouts/layout-types.ts'
import { arrange, currentPositions } from '../layouts/layouts.ts'
import type { Member } from './member.ts'

/** A layout goes to everybody and names everybody: in a crowd, changes are gathered for this long per member. */
const PACE_MS_PER_MEMBER = 3
/** Below this many members every change is shown at once. */
const CROWD = 25

export interface SessionLayoutOptions {
  clock: Clock
  /** Layout of the room; an unknown one counts as the default. */
  layout: string
  options: LayoutOptions
  /** Those to be shown, in the order in which they came. */
  members: () => readonly Member[]
  /** The layout has changed: to be told to everybody, and to the media room. */
  onChange: (layout: Layout) => void
}

/** Who stands where on the composed picture: the one source of geometry for clients and media room. */
export class SessionLayout {
  readonly layoutName: LayoutName
  readonly #options: SessionLayoutOptions
  #layout: Layout
  #arrangedAt = Number.NEGATIVE_INFINITY
  #pending: Timer | null = null

  constructor(options: SessionLayoutOptions) {
    this.#options = options
    this.layoutName = isLayoutName(options.layout) ? options.layout : DEFAULT_LAYOUT
    this.#layout = arrange(this.layoutName, [], options.options)
  }

  get layout(): Layout {
    return this.#layout
  }

  /** Members came, went or changed. */
  arrange(): void {
    if (this.#pending) return
    const count = this.#options.members().length
    const paceMs = count < CROWD ? 0 : count * PACE_MS_PER_MEMBER
    const delayMs = this.#arrangedAt + paceMs - this.#options.clock.now()
    if (delayMs <= 0) this.#arrangeNow()
    else this.#pending = this.#options.clock.after(delayMs, () => this.#arrangeNow())
  }

  /** Nothing is arranged any more. */
  close(): void {
    this.#pending?.cancel()
  }

  #arrangeNow(): void {
    const { clock, members, options, onChange } = this.#options
    this.#pending = null
    this.#arrangedAt = clock.now()
    const shown = members()
    this.#layout = arrange(this.layoutName, shown, options)
    const positions = currentPositions(this.#layout)
    for (const member of shown) member.currentPosition = positions.get(member.id) ?? member.currentPosition
    onChange(this.#layout)
  }
}
