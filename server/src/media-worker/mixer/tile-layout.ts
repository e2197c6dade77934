import type { Tile } from '../../media/channel.ts'
import { covers, inset, overlap, sameRectangle, tileRectangle } from './tile-geometry.ts'
import { TileView } from './tile-view.ts'

/** Between two tiles lies twice this, at a canvas of 1280 pixels. */
const GAP_AT_1280 = 2

/**
 * The views of a new layout, in drawing order. Reuses present views, with their scalers and memory.
 * @param before of the layout until now; those that are not taken over are to be closed
 */
export function layOutTiles(
  tiles: readonly Tile[],
  before: readonly TileView[],
  { width, height }: { width: number; height: number },
): TileView[] {
  const placed = tiles.flatMap((tile) => {
    const rectangle = tileRectangle(tile, width, height)
    return rectangle ? [{ sourceId: sourceOf(tile), rectangle }] : []
  })
  const isCovered = placed.map(({ rectangle }, index) =>
    placed.slice(index + 1).some((later) => covers(later.rectangle, rectangle)),
  )
  const seen = isCovered.filter((covered) => !covered).length
  const gap = seen > 1 ? 2 * Math.round((width * GAP_AT_1280) / 2560) : 0
  const reusable = new Set(before)
  const views = placed.map(({ sourceId, rectangle }) => {
    const area = inset(rectangle, gap)
    for (const view of reusable) {
      if (view.sourceId !== sourceId || !sameRectangle(view.area, area)) continue
      reusable.delete(view)
      return view
    }
    return new TileView(sourceId, area)
  })
  for (const [index, view] of views.entries()) {
    const above = views.slice(index + 1).filter((other) => overlap(view.area, other.area))
    view.reset(above, isCovered[index] ?? false)
  }
  return views
}

/** Id of the member or of the playback whose picture the tile shows. */
function sourceOf({ memberId, playbackId }: Tile): string {
  return playbackId ?? memberId ?? ''
}
