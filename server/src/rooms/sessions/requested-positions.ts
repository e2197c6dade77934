import { Refusal } from '../../errors/refusal.ts'

/** A member, a screen share or a file, with the place that it was requested to have. */
export interface Placeable {
  readonly id: string
  requestedPosition: string
  /** Order of the request: a larger number came later. */
  requestOrder: number
}

/** Positions that several may have at the same time. */
const SHARED_POSITIONS: ReadonlySet<string> = new Set(['auto', 'off-canvas', 'playback'])

/** `full-screen`, a standard or a reserved place: one at a time has it. */
const PLACE = /^(?:full-screen|(?:standard|reserved)-[1-9]\d{0,2})$/

/** @throws Refusal `invalid_parameter` if this is no position that can be requested */
export function checkPosition(position: unknown): asserts position is string {
  if (typeof position === 'string' && (SHARED_POSITIONS.has(position) || PLACE.test(position))) return
  throw new Refusal(
    'invalid_parameter',
    'Invalid params: a position is auto, standard-N, reserved-N, full-screen, off-canvas or playback.',
  )
}

/** Keeps track of who requested which place. One at a time has a place: the latest request wins. */
export class RequestedPositions {
  #requests = 0

  /**
   * Requests a position for somebody. Whoever requested the same place before goes back to `auto`.
   * @param all everybody and every file in the session
   * @returns those whose requested position changed
   */
  request(who: Placeable, position: string, all: Iterable<Placeable>): Placeable[] {
    if (who.requestedPosition === position) return []
    const before = SHARED_POSITIONS.has(position)
      ? []
      : [...all].filter((other) => other !== who && other.requestedPosition === position)
    for (const other of before) other.requestedPosition = 'auto'
    who.requestedPosition = position
    who.requestOrder = ++this.#requests
    return [...before, who]
  }
}
