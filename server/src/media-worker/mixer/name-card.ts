import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { cleanName, ellipsise, FONT_FAMILIES, graphemes } from './name-text.ts'

/** A drawn rectangle, placed on its tile: RGBA, 8 bits each, rows without padding. All numbers even. */
export interface CardPart {
  x: number
  y: number
  width: number
  height: number
  pixels: Uint8Array
}

/** Behind the initials and the name. */
const CARD_COLOUR = '#262c38'
/** Below this height a name would not be legible: the card then has initials only. */
const MIN_HEIGHT_WITH_NAME = 110

/**
 * What stands on a member's tile while there is no picture: the initials in a circle and the name under it. Only these two
 * are drawn, each with some of the card's plain colour around, since a whole card would take longer than a tick may.
 * @returns the initials first; then the name, where the card is large enough for one
 */
export function drawNameCard(name: string, width: number, height: number): [CardPart, ...CardPart[]] {
  const label = cleanName(name)
  const withName = label !== '' && height >= MIN_HEIGHT_WITH_NAME
  const radius = Math.min(height, width) * (withName ? 0.2 : 0.3)
  const initials = drawPart(width, height, withName ? 0.43 : 0.5, radius * 2, radius * 2, (context, x, y) =>
    drawAvatar(context, label, x, y, radius),
  )
  if (!withName) return [initials]
  const size = Math.round(Math.min(44, Math.max(12, height * 0.075)))
  const widest = width * 0.88
  const text = drawPart(width, height, 0.79, widest, size * 1.7, (context, x, y) =>
    drawName(context, label, x, y, size, widest),
  )
  return [initials, text]
}

/**
 * Draws a rectangle in the middle of a card's width.
 * @param middle of its height, as a share of the card's
 * @param paint `x` and `y`: the rectangle's middle
 */
function drawPart(
  cardWidth: number,
  cardHeight: number,
  middle: number,
  width: number,
  height: number,
  paint: (context: SKRSContext2D, x: number, y: number) => void,
): CardPart {
  const left = evenDown(Math.max(0, (cardWidth - width) / 2 - 2))
  const top = evenDown(Math.max(0, cardHeight * middle - height / 2 - 2))
  const right = evenDown(Math.min(cardWidth, (cardWidth + width) / 2 + 3))
  const bottom = evenDown(Math.min(cardHeight, cardHeight * middle + height / 2 + 3))
  const canvas = createCanvas(right - left, bottom - top)
  const context = canvas.getContext('2d')
  context.fillStyle = CARD_COLOUR
  context.fillRect(0, 0, canvas.width, canvas.height)
  paint(context, cardWidth / 2 - left, cardHeight * middle - top)
  // A copy: the canvas's memory is freed with the canvas.
  const pixels = new Uint8Array(canvas.data())
  return { x: left, y: top, width: canvas.width, height: canvas.height, pixels }
}

function evenDown(value: number): number {
  return 2 * Math.floor(value / 2)
}

/**
 * One or two letters that stand for a name: the first of its first and of its last word, or the first alone for a single
 * word or a script without upper and lower case, where two characters would be half a name.
 */
export function initialsOf(name: string): string {
  const words = cleanName(name)
    .split(' ')
    .filter((word) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(word))
  const first = firstGrapheme(words[0] ?? '')
  const last = words.length > 1 ? firstGrapheme(words.at(-1) ?? '') : ''
  return isCased(first) && isCased(last) ? first.toUpperCase() + last.toUpperCase() : first.toUpperCase()
}

function firstGrapheme(word: string): string {
  for (const { segment } of graphemes.segment(word)) {
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment
  }
  return ''
}

function isCased(letter: string): boolean {
  return letter.toUpperCase() !== letter.toLowerCase()
}

/** The same name has the same colour everywhere (FNV-1a). */
function hueOf(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % 360
}

function drawAvatar(context: SKRSContext2D, name: string, x: number, y: number, radius: number): void {
  context.fillStyle = `hsl(${hueOf(name)}, 36%, 44%)`
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
  const initials = initialsOf(name)
  if (initials) drawInitials(context, initials, x, y, radius)
  else drawSilhouette(context, x, y, radius)
}

function drawInitials(context: SKRSContext2D, initials: string, x: number, y: number, radius: number): void {
  context.fillStyle = '#ffffff'
  context.textAlign = 'center'
  context.textBaseline = 'alphabetic'
  context.font = `${Math.max(6, Math.round(radius * 0.8))}px ${FONT_FAMILIES}`
  const box = context.measureText(initials)
  // Centred by what is drawn: the font's own middle would leave capitals too high.
  context.fillText(initials, x, y + (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2)
}

function drawSilhouette(context: SKRSContext2D, x: number, y: number, radius: number): void {
  context.fillStyle = '#ffffff'
  context.beginPath()
  context.arc(x, y - radius * 0.2, radius * 0.28, 0, Math.PI * 2)
  context.fill()
  context.beginPath()
  context.ellipse(x, y + radius * 0.6, radius * 0.5, radius * 0.38, 0, Math.PI, Math.PI * 2)
  context.fill()
}

function drawName(
  context: SKRSContext2D,
  name: string,
  x: number,
  y: number,
  size: number,
  widest: number,
): void {
  context.font = `${size}px ${FONT_FAMILIES}`
  context.fillStyle = '#e7eaf0'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(
    ellipsise(name, (text) => context.measureText(text).width <= widest),
    x,
    y,
  )
}
