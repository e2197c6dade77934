import type { Tile } from '../../media/channel.ts'
import type { Rectangle } from '../codecs/planes.ts'
import { covers, inset, tileRectangle } from './tile-geometry.ts'

/** Between two tiles lies twice this, at a canvas of 1280 pixels. */
const GAP_AT_1280 = 2

/** A tile in pixels of the canvas. */
export interface PlacedTile {
  /** The member or the playback whose picture it shows. */
  sourceId: string
  area: Rectangle
  /** Whether a single later tile hides all of it. */
  isCovered: boolean
}

/** Where the tiles of a layout lie on the canvas, in drawing order. Those without pixels are left out. */
export function placeTiles(
  tiles: readonly Tile[],
  { width, height }: { width: number; height: number },
): PlacedTile[] {
  const placed = tiles.flatMap((tile) => {
    const area = tileRectangle(tile, width, height)
    return area ? [{ sourceId: tile.playbackId ?? tile.memberId ?? '', area }] : []
  })
  const isCovered = placed.map(({ area }, index) =>
    placed.slice(index + 1).some((later) => covers(later.area, area)),
  )
  const seen = isCovered.filter((covered) => !covered).length
  const gap = seen > 1 ? 2 * Math.round((width * GAP_AT_1280) / 2560) : 0
  return placed.map(({ sourceId, area }, index) => ({
    sourceId,
    area: inset(area, gap),
    isCovered: isCovered[index] ?? false,
  }))
}
