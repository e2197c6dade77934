import { createCanvas } from '@napi-rs/canvas'
import type { CardPart } from './name-card.ts'
import { cleanName, ellipsise, FONT_FAMILIES } from './name-text.ts'

/** As behind the tiles, so that a label looks cut out of the picture. */
const LABEL_COLOUR = '#14171d'
const TEXT_COLOUR = '#f2f4f8'
/** Below these, a name would be too small to read or would cover too much. */
const MIN_TILE_HEIGHT = 84
const MIN_TILE_WIDTH = 120

/**
 * The label at the bottom left of a camera's tile: the member's name on a dark strip.
 * @param width of the tile in pixels, even, as is `height`
 * @returns null for a tile that is too small for one, and for a name without characters
 */
export function drawNameLabel(name: string, width: number, height: number): CardPart | null {
  const label = cleanName(name)
  if (label === '' || width < MIN_TILE_WIDTH || height < MIN_TILE_HEIGHT) return null
  const size = Math.round(Math.min(30, Math.max(11, height * 0.05)))
  const padding = Math.round(size * 0.55)
  const font = `${size}px ${FONT_FAMILIES}`
  const measure = createCanvas(2, 2).getContext('2d')
  measure.font = font
  const widest = width * 0.7 - 2 * padding
  const text = ellipsise(label, (part) => measure.measureText(part).width <= widest)
  const canvas = createCanvas(
    evenUp(Math.min(width, measure.measureText(text).width + 2 * padding)),
    evenUp(size * 1.7),
  )
  const context = canvas.getContext('2d')
  context.fillStyle = LABEL_COLOUR
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.font = font
  context.fillStyle = TEXT_COLOUR
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(text, canvas.width / 2, canvas.height / 2)
  // A copy: the canvas's memory is freed with the canvas.
  const pixels = new Uint8Array(canvas.data())
  return { x: 0, y: height - canvas.height, width: canvas.width, height: canvas.height, pixels }
}

function evenUp(value: number): number {
  return 2 * Math.ceil(value / 2)
}
