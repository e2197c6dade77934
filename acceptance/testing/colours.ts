import type { Rgb } from '../page/picture.ts'

/** Fake participants. Each has a unique colour, and a tone that is no harmonic of another tone. */
export const PARTICIPANTS = [
  { name: 'Red', colour: [200, 40, 40], toneHz: 433 },
  { name: 'Green', colour: [40, 160, 60], toneHz: 613 },
  { name: 'Blue', colour: [50, 70, 210], toneHz: 967 },
  { name: 'Yellow', colour: [215, 200, 50], toneHz: 1409 },
  { name: 'Violet', colour: [190, 60, 200], toneHz: 1913 },
] as const satisfies readonly { name: string; colour: Rgb; toneHz: number }[]

/** One of the fake participants. */
export type Persona = (typeof PARTICIPANTS)[number]

/** Distance of two colours, 0 to 442. */
export function colourDistance(a: Rgb, b: Rgb): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

/** How much a colour may change through two lossy encodings and the conversions between RGB and YUV. */
const TOLERANCE = 40

/**
 * Finds the participant with this colour.
 * @returns the participant's name, or the colour itself if it is nobody's
 */
export function nameOfColour(colour: Rgb): string {
  const found = PARTICIPANTS.find((each) => colourDistance(each.colour, colour) <= TOLERANCE)
  return found?.name ?? `rgb(${colour.join(', ')})`
}
