import type { LayoutMember, LayoutOptions } from './layout-types.ts'

/** The members on the canvas, in order, and the members off it. */
export interface Placement {
  /** One entry for each place, place `standard-1` first. */
  shown: LayoutMember[]
  offCanvas: string[]
}

const STANDARD_POSITION = /^standard-([1-9]\d{0,3})$/

/** Index of the place that a member requested. Null if it requested none. */
function requestedPlace(member: LayoutMember): number | null {
  const match = STANDARD_POSITION.exec(member.requestedPosition)
  return match ? Number(match[1]) - 1 : null
}

/**
 * Rank of a member. If there are more members than places, the lowest ranks keep their tiles: members who requested a
 * place, then raised hands, then live cameras.
 */
function claim(member: LayoutMember, options: LayoutOptions): number {
  if (requestedPlace(member) !== null) return 0
  if (options.prioritizeHandraise && member.handRaised) return 1
  return member.videoMuted ? 3 : 2
}

/** The `places` members with the lowest rank, in the order in which they joined. */
function chooseShown(
  candidates: readonly LayoutMember[],
  places: number,
  options: LayoutOptions,
): readonly LayoutMember[] {
  if (candidates.length <= places) return candidates
  const chosen = new Set(
    candidates.toSorted((one, other) => claim(one, options) - claim(other, options)).slice(0, places),
  )
  return candidates.filter((member) => chosen.has(member))
}

/**
 * Puts members who requested a place there, if the place exists and no earlier member requested it. (The caller keeps
 * the request for later.) All others follow in order, raised hands first if the room wants that.
 */
function order(members: readonly LayoutMember[], options: LayoutOptions): LayoutMember[] {
  const places = new Array<LayoutMember | undefined>(members.length)
  const others: LayoutMember[] = []
  for (const member of members) {
    const place = requestedPlace(member)
    if (place !== null && place < places.length && places[place] === undefined) places[place] = member
    else others.push(member)
  }
  const queue = options.prioritizeHandraise
    ? others.toSorted((one, other) => Number(other.handRaised) - Number(one.handRaised))
    : others
  let next = 0
  return Array.from(places, (member) => member ?? queue[next++]!)
}

/**
 * Decides which member gets which place, for layouts whose places are all alike.
 * @param members in the order in which they joined
 * @param places maximum number of places of the layout
 */
export function placeMembers(
  members: readonly LayoutMember[],
  places: number,
  options: LayoutOptions,
): Placement {
  const candidates = members.filter(
    (member) => member.requestedPosition !== 'off-canvas' && !(options.hideVideoMuted && member.videoMuted),
  )
  const shown = order(chooseShown(candidates, places, options), options)
  const ids = new Set(shown.map((member) => member.id))
  return { shown, offCanvas: members.filter((member) => !ids.has(member.id)).map((member) => member.id) }
}
