import type { Tile } from '../../media/channel.ts'
import { inset, overlap, sameRectangle, tileRectangle } from './tile-geometry.ts'
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
  const gap = tiles.length > 1 ? 2 * Math.round((width * GAP_AT_1280) / 2560) : 0
  const reusable = new Set(before)
  const views = tiles.flatMap((tile) => {
    const rectangle = tileRectangle(tile, width, height)
    if (!rectangle) return []
    const area = inset(rectangle, gap)
    for (const view of reusable) {
      if (view.sourceId !== sourceOf(tile) || !sameRectangle(view.area, area)) continue
      reusable.delete(view)
      return [view]
    }
    return [new TileView(sourceOf(tile), area)]
  })
  for (const [index, view] of views.entries())
    view.reset(views.slice(index + 1).filter((other) => overlap(view.area, other.area)))
  return views
}

/** Id of the member or of the playback whose picture the tile shows. */
function sourceOf({ memberId, playbackId }: Tile): string {
  return playbackId ?? memberId ?? ''
}
