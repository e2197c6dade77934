import type { Rectangle } from './layout-types.ts'

/**
 * Tiles are computed in whole steps of a thousandth of a pixel. In fractions of a percent, a third would be rounded,
 * and a tile could overlap its neighbour or the edge.
 */
const STEPS_PER_PERCENT = 10_000
const CANVAS_STEPS = 100 * STEPS_PER_PERCENT

/** Number of columns of a grid whose tiles are as large as possible. Tiles have the aspect ratio of the canvas. */
export function gridColumns(count: number): number {
  return Math.ceil(Math.sqrt(count))
}

/**
 * Equal tiles in rows from the top left, with the aspect ratio of the canvas (width and height are the same
 * percentage). All rows but the last are full. The last row is centred, and all rows together are centred on the
 * canvas.
 * @param count 1 or more
 */
export function gridTiles(count: number): Rectangle[] {
  const columns = gridColumns(count)
  const rows = Math.ceil(count / columns)
  const size = Math.floor(CANVAS_STEPS / columns)
  const startOf = (tilesInLine: number) => Math.floor((CANVAS_STEPS - tilesInLine * size) / 2)
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inThisRow = row === rows - 1 ? count - row * columns : columns
    return {
      x: (startOf(inThisRow) + (index % columns) * size) / STEPS_PER_PERCENT,
      y: (startOf(rows) + row * size) / STEPS_PER_PERCENT,
      width: size / STEPS_PER_PERCENT,
      height: size / STEPS_PER_PERCENT,
    }
  })
}
