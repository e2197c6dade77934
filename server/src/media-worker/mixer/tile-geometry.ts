import type { Tile } from '../../media/channel.ts'
import { MAX_SIDE, type Rectangle } from '../codecs/planes.ts'

/**
 * A picture that is larger than its tile by no more than this is not scaled, only cropped: sharper, and far cheaper. One
 * that is two or three times as large in the same way is scaled by exactly that, which is cheaper than by nearly that.
 */
const TRIMMED_UP_TO = 1.02
const LARGEST_EXACT_RATIO = 3
/**
 * A picture is scaled as a whole and then cropped, unless that makes so many times the pixels that are shown. To crop it first, its
 * memory has to be made known to JavaScript, and the garbage collector counts all of that as its own.
 */
const WHOLE_UP_TO = 1.5

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
 * How a picture comes into a tile: `part` of it is scaled to `scaledWidth` x `scaledHeight`, and the middle of that is put at
 * `x`, `y` of the tile.
 */
export interface Fit {
  /** In pixels of the picture, all even; null for the whole picture. */
  part: Rectangle | null
  /** All others are even, too. */
  scaledWidth: number
  scaledHeight: number
  /** The size of the middle. */
  width: number
  height: number
  x: number
  y: number
}

/** Fills the tile: what stands out is cropped. Keeps the picture's proportions. */
export function coverOf(
  pictureWidth: number,
  pictureHeight: number,
  tileWidth: number,
  tileHeight: number,
): Fit {
  const tile = { width: tileWidth, height: tileHeight, x: 0, y: 0 }
  const scale = trimmed(Math.max(tileWidth / pictureWidth, tileHeight / pictureHeight))
  const scaledWidth = Math.max(tileWidth, nearestEven(pictureWidth * scale))
  const scaledHeight = Math.max(tileHeight, nearestEven(pictureHeight * scale))
  const isHardlyCropped = scaledWidth * scaledHeight <= WHOLE_UP_TO * tileWidth * tileHeight
  if (isHardlyCropped) return { part: null, scaledWidth, scaledHeight, ...tile }
  const filling = { scaledWidth: tileWidth, scaledHeight: tileHeight, ...tile }
  // No camera looks like that, and no memory of ours holds it: it is shown out of proportion.
  if (Math.min(pictureWidth, pictureHeight) < 2 || Math.max(pictureWidth, pictureHeight) > MAX_SIDE)
    return { part: null, ...filling }
  const width = partSide(tileWidth / scale, pictureWidth)
  const height = partSide(tileHeight / scale, pictureHeight)
  const part = { x: evenHalf(pictureWidth - width), y: evenHalf(pictureHeight - height), width, height }
  return { part, ...filling }
}

/** The scale of one to one, two or three that shows nearly as much as `exact` does; else `exact`. */
function trimmed(exact: number): number {
  const ratio = Math.floor(1 / exact)
  const isNear = ratio >= 1 && ratio <= LARGEST_EXACT_RATIO && exact * TRIMMED_UP_TO >= 1 / ratio
  return isNear ? 1 / ratio : exact
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
  const place = { x: evenHalf(tileWidth - width), y: evenHalf(tileHeight - height) }
  return { part: null, scaledWidth: width, scaledHeight: height, width, height, ...place }
}

function partSide(side: number, pictureSide: number): number {
  return Math.min(2 * Math.floor(pictureSide / 2), Math.max(2, nearestEven(side)))
}

function containSide(side: number, tileSide: number): number {
  return Math.min(tileSide, Math.max(2, nearestEven(side)))
}

function nearestEven(value: number): number {
  return 2 * Math.round(value / 2)
}

/** Half of a distance, rounded down to an even number. */
export function evenHalf(distance: number): number {
  return 2 * Math.floor(distance / 4)
}
