import type { MeetingState, MeetingTile } from './meeting-state.ts'

/**
 * What somebody wants to see on their own stage. `by-itself`: a shared screen, on an upright stage else who speaks, else
 * the whole picture. `whole`: the whole picture, whatever happens.
 */
export type Wish =
  | { is: 'by-itself' }
  | { is: 'whole'; shareId: string | null }
  | { is: 'tile'; memberId: string }

/** The tile that the stage shows large. */
export interface Focus {
  tile: MeetingTile | null
  /** Nothing of it may be cut off. */
  entire: boolean
}

const noFocus: Focus = { tile: null, entire: false }

/** A share with this part of the picture is large enough, and those who are drawn beside it stay visible. */
const largeShare = 0.75

/** What decides, besides the wish. */
export interface FocusFacts {
  /** Those that can be seen. */
  tiles: readonly MeetingTile[]
  members: MeetingState['members']
  selfId: string | null
  /** Who spoke last, if anybody did. */
  speaker: string | null
  upright: boolean
}

/** The latest shared screen that has a tile. */
export function shareOf({ tiles, members }: Pick<FocusFacts, 'tiles' | 'members'>): MeetingTile | null {
  const isScreen = (id: string) => members.some((one) => one.id === id && one.type === 'screen')
  return tiles.findLast(({ memberId }) => isScreen(memberId)) ?? null
}

/** Decides which tile the stage shows large. A wish for somebody who has no tile any more counts as no wish. */
export function focusOf(wish: Wish, facts: FocusFacts): Focus {
  const { tiles, selfId, speaker, upright } = facts
  const share = shareOf(facts)
  const tileOf = (id: string | null) => tiles.find(({ memberId }) => memberId === id)
  if (wish.is === 'tile') {
    const tile = tileOf(wish.memberId)
    if (tile) return { tile, entire: tile === share }
  }
  if (wish.is === 'whole' && wish.shareId === (share?.memberId ?? null)) return noFocus
  if (share && (upright || (share.width * share.height) / 10_000 < largeShare))
    return { tile: share, entire: true }
  if (!upright) return noFocus
  const tile = tileOf(speaker) ?? tiles.find(({ memberId }) => memberId !== selfId) ?? tiles[0]
  return tile ? { tile, entire: false } : noFocus
}

/** The wish after Escape, or after the large tile was chosen again: less is cut off. */
export function wishBack(wish: Wish, facts: FocusFacts): Wish {
  const isChosen = wish.is === 'tile' && facts.tiles.some(({ memberId }) => memberId === wish.memberId)
  return isChosen && facts.upright ? { is: 'by-itself' } : wholeWish(facts)
}

/** The wish for the whole picture. It lasts until something else is shared. */
export function wholeWish(facts: FocusFacts): Wish {
  const share = shareOf(facts)
  // A wide stage shows the whole picture by itself. A phone that is turned upright then shows who speaks again.
  if (!share && !facts.upright) return { is: 'by-itself' }
  return { is: 'whole', shareId: share?.memberId ?? null }
}
