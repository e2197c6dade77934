import type { Place } from '../../resources/layout-places.ts'
import type { LayoutOptions } from './layout-types.ts'

/** A member or a file that needs a place. */
export interface Seat {
  id: string
  kind: 'member' | 'share' | 'file'
  requestedPosition: string
  requestOrder: number
  handRaisedAt: number | null
}

/** Who got which place. */
export interface Placement {
  places: readonly Place[]
  /** Keyed by position. An empty place has no entry. */
  holders: ReadonlyMap<string, Seat>
  /** Members who got their place by their turn alone, in that order. Shares are not among them. */
  automatic: Seat[]
  /** Seats without a place, files included, in order. */
  left: Seat[]
}

/**
 * Decides who gets which place. Requests come first, then the share place, then the large place of a highlight. The
 * others follow in order, raised hands first if the room wants that.
 * @param seats in the order in which they are placed if nobody asks for anything
 */
export function assignPlaces(
  places: readonly Place[],
  seats: readonly Seat[],
  options: LayoutOptions,
): Placement {
  const holders = grantRequests(places, seats)
  const queue = inTurn(without(seats, holders.values()), options)
  const give = (place: Place | undefined, seat: Seat | undefined) => {
    if (!place || !seat || holders.has(place.position)) return
    holders.set(place.position, seat)
    queue.splice(queue.indexOf(seat), 1)
  }
  const first = (kind: Seat['kind']) => queue.find((seat) => seat.kind === kind)
  const special = places.find(({ role }) => role !== null)
  give(special, first('share') ?? first('file'))
  if (special?.role === 'highlight')
    give(special, queue.find(({ id }) => id === options.speaker) ?? first('member'))
  const free = automaticPlaces(places).filter(({ position }) => !holders.has(position))
  const inLine = queue.filter(({ kind }) => kind !== 'file').slice(0, free.length)
  for (const [index, seat] of inLine.entries()) give(free[index], seat)
  const automatic = inLine.filter(({ kind }) => kind === 'member')
  return { places, holders, automatic, left: without(seats, holders.values()) }
}

/** Gives each place that somebody asked for to the earliest request. */
function grantRequests(places: readonly Place[], seats: readonly Seat[]): Map<string, Seat> {
  const holders = new Map<string, Seat>()
  const known = new Set(places.map(({ position }) => position))
  for (const seat of seats.toSorted((one, other) => one.requestOrder - other.requestOrder)) {
    const { requestedPosition } = seat
    if (known.has(requestedPosition) && !holders.has(requestedPosition)) holders.set(requestedPosition, seat)
  }
  return holders
}

/** Raised hands first, in the order of raising, if the room wants that. */
function inTurn(seats: readonly Seat[], { prioritizeHandraise }: LayoutOptions): Seat[] {
  const raisedAt = ({ handRaisedAt }: Seat) => handRaisedAt ?? Number.MAX_VALUE
  return prioritizeHandraise ? seats.toSorted((one, other) => raisedAt(one) - raisedAt(other)) : [...seats]
}

/**
 * The places that are filled without a request: the standard ones. In a layout without any, the reserved ones, and a
 * share place that nobody shares to.
 */
function automaticPlaces(places: readonly Place[]): Place[] {
  const standard = places.filter(({ position }) => position.startsWith('standard-'))
  const plain = standard.filter(({ role }) => role === null)
  if (plain.length > 0) return plain
  const reserved = places.filter(({ position, role }) => position.startsWith('reserved-') && role === null)
  const byNumber = reserved.toSorted((one, other) => numberOf(one) - numberOf(other))
  return [...byNumber, ...standard]
}

const numberOf = ({ position }: Place) => Number(position.slice(position.indexOf('-') + 1))

function without(seats: readonly Seat[], placed: Iterable<Seat>): Seat[] {
  const set = new Set(placed)
  return seats.filter((seat) => !set.has(seat))
}
