/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
/** Parts in which a colour is moved until it can be read. */
const STEPS = 40

/** @param hex `#RRGGBB`; @returns null for anything else */
export function parseColour(hex: string | null): Rgb | null {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex ?? '')
  if (!digits) return null
  const [, red = '', green = '', blue = ''] = digits
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

export const formatColour = (colour: Rgb): string =>
  `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`

/** @param share of `other`, 0 to 1 */
export const mix = (one: Rgb, other: Rgb, share: number): Rgb => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
]

/** The contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, whichever is easier to read on a ground. It always reaches 4.5. */
export const inkOn = (ground: Rgb): Rgb =>
  contrast(BLACK, ground) >= contrast(WHITE, ground) ? BLACK : WHITE

/** A ground that is a little different from another, on which the same ink can be read: the tint, unless it would be too close to the ink. */
export function tinted(ground: Rgb, tint: Rgb): Rgb {
  const ink = inkOn(ground)
  if (contrast(ink, tint) >= 4.5) return tint
  return mix(ground, ink === BLACK ? WHITE : BLACK, 0.1)
}

/** The colour, moved towards black or white until it has a contrast of at least `least` on each of these grounds. */
export function readable(colour: Rgb, grounds: readonly Rgb[], least = 4.5): Rgb {
  const isReadable = (moved: Rgb) => grounds.every((ground) => contrast(moved, ground) >= least)
  const end = inkOn(grounds[0] ?? WHITE)
  for (let step = 0; step < STEPS; step++) {
    const moved = mix(colour, end, step / STEPS)
    if (isReadable(moved)) return moved
  }
  return end
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
