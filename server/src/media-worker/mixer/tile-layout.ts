import type { Tile } from '../../media/channel.ts'
import { placeTiles } from './placed-tiles.ts'
import { overlap, sameRectangle } from './tile-geometry.ts'
import { TileView } from './tile-view.ts'

/**
 * The views of a new layout, in drawing order. Reuses present views, with their scalers and memory.
 * @param before of the layout until now; those that are not taken over are to be closed
 */
export function layOutTiles(
  tiles: readonly Tile[],
  before: readonly TileView[],
  canvas: { width: number; height: number },
): TileView[] {
  const reusable = new Set(before)
  const placed = placeTiles(tiles, canvas)
  const views = placed.map(({ sourceId, area }) => {
    for (const view of reusable) {
      if (view.sourceId !== sourceId || !sameRectangle(view.area, area)) continue
      reusable.delete(view)
      return view
    }
    return new TileView(sourceId, area)
  })
  for (const [index, view] of views.entries()) {
    const above = views.slice(index + 1).filter((other) => overlap(view.area, other.area))
    view.reset(above, placed[index]?.isCovered ?? false)
  }
  return views
}
