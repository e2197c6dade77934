import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { GlobalFonts } from '@napi-rs/canvas'

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
export const FONT_FAMILIES = [...registerBundledFonts().map((family) => `'${family}'`), 'sans-serif'].join(
  ', ',
)

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

/** Splits text into what readers take for characters. */
export const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Removes control characters, and characters that change the text direction of everything after them. */
export function cleanName(name: string): string {
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
