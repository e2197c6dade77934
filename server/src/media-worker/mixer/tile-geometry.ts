import type { Tile } from '../../media/channel.ts'
import type { Rectangle } from '../codecs/picture.ts'

/** A source is scaled to at most this many times its tile: a strip of 4000x2 pixels would fill gigabytes otherwise. */
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

/** Whether two rectangles share any pixel. Those that only touch do not. */
export function overlap(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** Whether the whole inner rectangle lies in the outer one. */
export function covers(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  )
}

/** Whether two rectangles have the same place and size. */
export function sameRectangle(a: Rectangle, b: Rectangle): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height
}

/**
 * How a picture comes into a tile: scaled to `width` x `height`, of which `window` is copied to `x`, `y` of the tile. All
 * numbers even.
 */
export interface Fit {
  width: number
  height: number
  window: Rectangle
  x: number
  y: number
}

/** Fills the tile: what stands out is cropped. Keeps the picture's proportions, except of those that no camera has. */
export function coverOf(
  pictureWidth: number,
  pictureHeight: number,
  tileWidth: number,
  tileHeight: number,
): Fit {
  const scale = Math.max(tileWidth / pictureWidth, tileHeight / pictureHeight)
  const width = coverSide(pictureWidth * scale, tileWidth)
  const height = coverSide(pictureHeight * scale, tileHeight)
  const window = {
    x: evenHalf(width - tileWidth),
    y: evenHalf(height - tileHeight),
    width: tileWidth,
    height: tileHeight,
  }
  return { width, height, window, x: 0, y: 0 }
}

/** Shows the picture whole, in the middle of the tile, and as large as that allows. */
export function containOf(
  pictureWidth: number,
  pictureHeight: number,
  tileWidth: number,
  tileHeight: number,
): Fit {
  const scale = Math.min(tileWidth / pictureWidth, tileHeight / pictureHeight)
  const width = containSide(pictureWidth * scale, tileWidth)
  const height = containSide(pictureHeight * scale, tileHeight)
  const window = { x: 0, y: 0, width, height }
  return { width, height, window, x: evenHalf(tileWidth - width), y: evenHalf(tileHeight - height) }
}

function coverSide(side: number, tileSide: number): number {
  return Math.min(tileSide * LARGEST_COVER, Math.max(tileSide, nearestEven(side)))
}

function containSide(side: number, tileSide: number): number {
  return Math.min(tileSide, Math.max(2, nearestEven(side)))
}

function nearestEven(value: number): number {
  return 2 * Math.round(value / 2)
}

function evenHalf(even: number): number {
  return 2 * Math.floor(even / 4)
}
