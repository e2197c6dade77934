import type { Rectangle } from './layout-types.ts'

/**
 * The canvas is laid out in whole steps, a thousandth of a pixel each, so that no tile reaches over its neighbour or the
 * edge because a third is not a finite number.
 */
const STEPS_PER_PERCENT = 10_000
const CANVAS_STEPS = 100 * STEPS_PER_PERCENT

/** How many columns a grid of equal tiles needs so that the tiles, of the canvas's own shape, are as large as can be. */
export function gridColumns(count: number): number {
  return Math.ceil(Math.sqrt(count))
}

/**
 * Equal tiles in rows from the top left, all of the canvas's aspect ratio (width and height are the same percentage).
 * Full rows first; the last row is centred, and all rows together are centred on the canvas.
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
