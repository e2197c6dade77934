import { layoutForPins } from './allowed.ts'
import type { MeetingState } from './meeting-state.ts'
import { peopleOf } from './members.ts'

/** With more people, the layout `screen-share` hides more than a fifth of the screen below them. */
const mostInCorners = 5

/** The layout that a shared screen brings along, in the form of the client's `startScreenShare`. */
export interface ShareLayout {
  layout?: string
  positions?: { self: 'reserved-1' }
}

/**
 * Decides in which layout a screen is shared, so that recordings show it large too. It has the whole picture as long as
 * the people find a place in its corners, else the large tile. The room takes the layout back when the share ends.
 * @returns nothing if this member may not change the layout
 */
export function shareLayout({
  permissions,
  members,
}: Pick<MeetingState, 'permissions' | 'members'>): ShareLayout {
  if (!permissions.includes('room.set_layout')) return {}
  if (peopleOf(members).length <= mostInCorners) return { layout: 'screen-share' }
  const layout = layoutForPins
  // Somebody may be pinned to the large tile.
  return permissions.includes('room.set_position')
    ? { layout, positions: { self: 'reserved-1' } }
    : { layout }
}
