import type { Tile } from '../../media/media-plane.ts'
import type { Rectangle } from '../codecs/picture.ts'

/** A source is never scaled to more than this many times its tile: a strip of 4000x2 would fill gigabytes otherwise. */
const LARGEST_COVER = 4

/**
 * Where a tile lies on the canvas, on even pixels (a chroma sample covers two). Tiles that share an edge in percent share
 * it in pixels. The part beyond the canvas is cut.
 * @returns null for what has no pixels
 */
export function tileRectangle(tile: Tile, canvasWidth: number, canvasHeight: number): Rectangle | null {
  const left = evenPixel(tile.x, canvasWidth)
  const top = evenPixel(tile.y, canvasHeight)
  const width = evenPixel(tile.x + tile.width, canvasWidth) - left
  const height = evenPixel(tile.y + tile.height, canvasHeight) - top
  // Also false for what is not a number.
  return width >= 2 && height >= 2 ? { x: left, y: top, width, height } : null
}

function evenPixel(percent: number, side: number): number {
  return 2 * Math.round((Math.min(100, Math.max(0, percent)) * side) / 200)
}

/** The rectangle without `gap` pixels on each side; unchanged when it would be gone. */
export function inset(rectangle: Rectangle, gap: number): Rectangle {
  const { x, y, width, height } = rectangle
  if (width < 8 * gap || height < 8 * gap) return rectangle
  return { x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap }
}

export function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

export function sameRectangle(a: Rectangle, b: Rectangle): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height
}

/**
 * How a camera fills a tile: scaled to `width` x `height`, which covers the tile in both directions, of which `window` (as
 * large as the tile, from the middle) is shown. All numbers even.
 */
export interface Cover {
  width: number
  height: number
  window: Rectangle
}

/** Keeps the camera's proportions, except of those that no camera has. */
export function coverOf(
  cameraWidth: number,
  cameraHeight: number,
  tileWidth: number,
  tileHeight: number,
): Cover {
  const scale = Math.max(tileWidth / cameraWidth, tileHeight / cameraHeight)
  const width = coverSide(cameraWidth * scale, tileWidth)
  const height = coverSide(cameraHeight * scale, tileHeight)
  const window = {
    x: 2 * Math.floor((width - tileWidth) / 4),
    y: 2 * Math.floor((height - tileHeight) / 4),
    width: tileWidth,
    height: tileHeight,
  }
  return { width, height, window }
}

function coverSide(side: number, tileSide: number): number {
  return Math.min(tileSide * LARGEST_COVER, Math.max(tileSide, 2 * Math.round(side / 2)))
}
