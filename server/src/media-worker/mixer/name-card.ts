import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas'

/** RGBA, 8 bits each, rows without padding. */
export interface Drawing {
  width: number
  height: number
  pixels: Uint8Array
}

/** Below this height a name would not be legible: the card then has initials only. */
const MIN_HEIGHT_WITH_NAME = 110
const WEIGHT = '600-normal'

/** Scripts that come with the server; any other is drawn by the machine's own fonts, where it has them. */
const BUNDLED_FONTS: readonly [packageName: string, subsets: readonly string[]][] = [
  [
    'noto-sans',
    ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese', 'devanagari'],
  ],
  ['noto-sans-arabic', ['arabic']],
  ['noto-sans-hebrew', ['hebrew']],
]

/** The value of CSS `font-family`, in the order in which fonts are asked for a character. */
const FONT_FAMILIES = [...registerBundledFonts().map((family) => `'${family}'`), 'sans-serif'].join(', ')

function registerBundledFonts(): string[] {
  const require = createRequire(import.meta.url)
  return BUNDLED_FONTS.flatMap(([packageName, subsets]) => {
    const files = join(dirname(require.resolve(`@fontsource/${packageName}/package.json`)), 'files')
    return subsets.map((subset) => {
      const family = `Parley ${packageName} ${subset}`
      GlobalFonts.registerFromPath(join(files, `${packageName}-${subset}-${WEIGHT}.woff2`), family)
      return family
    })
  })
}

/** What stands on a member's tile while there is no picture: the initials in a circle and the name under it. */
export function drawNameCard(name: string, width: number, height: number): Drawing {
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  const label = cleanName(name)
  const withName = label !== '' && height >= MIN_HEIGHT_WITH_NAME
  drawBackground(context, width, height)
  const side = Math.min(height, width)
  const radius = side * (withName ? 0.2 : 0.3)
  const middle = height * (withName ? 0.43 : 0.5)
  drawCircle(context, width / 2, middle, radius, hueOf(label))
  const initials = initialsOf(label)
  if (initials) drawInitials(context, initials, width / 2, middle, radius)
  else drawSilhouette(context, width / 2, middle, radius)
  if (withName) drawName(context, label, width, height)
  const { data } = context.getImageData(0, 0, width, height)
  return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
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

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function firstGrapheme(word: string): string {
  for (const { segment } of graphemes.segment(word)) {
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment
  }
  return ''
}

function isCased(letter: string): boolean {
  return letter.toUpperCase() !== letter.toLowerCase()
}

/** Without control characters, and without those that turn the direction of everything after them. */
function cleanName(name: string): string {
  return name
    .slice(0, 400)
    .replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim()
}

/** The longest beginning of `text` that is no wider than `fits` allows, with an ellipsis where it is cut. */
export function ellipsise(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  const parts = Array.from(graphemes.segment(text), ({ segment }) => segment)
  let kept = 0
  for (let step = parts.length; step >= 1; step = step >> 1) {
    while (kept + step < parts.length && fits(`${parts.slice(0, kept + step).join('')}…`)) kept += step
  }
  return `${parts.slice(0, kept).join('').trimEnd()}…`
}

/** The same name has the same colour everywhere (FNV-1a). */
function hueOf(name: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % 360
}

function drawBackground(context: SKRSContext2D, width: number, height: number): void {
  const gradient = context.createLinearGradient(0, 0, 0, height)
  gradient.addColorStop(0, '#2a303c')
  gradient.addColorStop(1, '#1f242e')
  context.fillStyle = gradient
  context.fillRect(0, 0, width, height)
}

function drawCircle(context: SKRSContext2D, x: number, y: number, radius: number, hue: number): void {
  context.fillStyle = `hsl(${hue}, 36%, 44%)`
  context.beginPath()
  context.arc(x, y, radius, 0, Math.PI * 2)
  context.fill()
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

function drawName(context: SKRSContext2D, name: string, width: number, height: number): void {
  const size = Math.round(Math.min(44, Math.max(12, height * 0.075)))
  context.font = `${size}px ${FONT_FAMILIES}`
  context.fillStyle = '#e7eaf0'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  const widest = width * 0.88
  const label = ellipsise(name, (text) => context.measureText(text).width <= widest)
  context.fillText(label, width / 2, height * 0.79)
}
