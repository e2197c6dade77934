import { timePasses } from '../../server/src/testing/time-passes.ts'
import type { Region } from '../page/picture.ts'
import { nameOfColour, type Persona } from './colours.ts'
import { eventually } from './eventually.ts'
import type { Layer, PublishedClient } from './published-client.ts'
import type { StolenTimeWatch } from './stolen-time.ts'

/** A tone counts as heard from this level on, in dBFS. */
const HEARD_DB = -60
/** … and only if it is this far above the noise floor. */
const ABOVE_FLOOR_DB = 25
/**
 * A tone counts as absent if it is below this level (dBFS) and also `BELOW_HEARD_DB` below every heard tone. The margin
 * covers splatter of glitches and echoes of codecs.
 */
const ABSENT_DB = -65
const BELOW_HEARD_DB = 25

/** The middle of a tile. It avoids the edges, the mark at the bottom of the camera's picture and the name. */
export function middleOf({ x, y, width, height }: Region): Region {
  return { x: x + width * 0.25, y: y + height * 0.2, width: width * 0.5, height: height * 0.4 }
}

/** Which persona each member is, by member id. */
export type Seats = ReadonlyMap<string, Persona>

/** Seats of participants who have joined, in the given order. */
export function seatsOf(seated: readonly (readonly [PublishedClient, Persona])[]): Map<string, Persona> {
  return new Map(seated.map(([participant, persona]) => [participant.memberId, persona]))
}

/**
 * Waits until the newest layout has exactly one tile for each seat, and the composed picture shows each persona's
 * colour in its tile.
 * @returns that layout, and when it was seen so
 */
export async function seesEachInItsTile(
  viewer: PublishedClient,
  seats: Seats,
  timeoutMs = 20_000,
): Promise<{ tiles: Map<string, Layer>; atMs: number }> {
  const tiles = await viewer.layoutOf([...seats.keys()], timeoutMs)
  const expected = [...seats.values()].map(({ name }) => name)
  const regions = [...seats.keys()].map((memberId) => middleOf(tiles.get(memberId) as Layer))
  await eventually(
    `${viewer.name} sees ${expected.join(', ')} each in its tile`,
    async () => (await viewer.coloursAt(regions)).map((colour) => colour && nameOfColour(colour)),
    (names) => names.join() === expected.join(),
    { timeoutMs },
  )
  return { tiles, atMs: Date.now() }
}

/** Name of the persona whose colour a member's tile has, as the viewer sees it, or else the colour itself. */
export async function tileColour(viewer: PublishedClient, memberId: string): Promise<string> {
  const tile = viewer.tiles().find(({ member_id }) => member_id === memberId)
  if (tile === undefined) return 'no tile'
  const [colour] = await viewer.coloursAt([middleOf(tile)])
  return colour ? nameOfColour(colour) : 'no picture'
}

async function listening(
  listener: PublishedClient,
  personas: readonly Persona[],
): Promise<Record<string, number>> {
  const { tones, floor } = await listener.spectrum(personas.map(({ toneHz }) => toneHz))
  return Object.fromEntries([
    ...personas.map(({ name }, i) => [name, Math.round(tones[i] ?? -200)]),
    ['floor', Math.round(floor)],
  ])
}

/**
 * Waits until the tones of `heard` are audible and those of `unheard` are not. Then checks for 2 s that this stays so.
 */
export async function hears(
  listener: PublishedClient,
  heard: readonly Persona[],
  unheard: readonly Persona[],
  timeoutMs = 20_000,
): Promise<void> {
  const all = [...heard, ...unheard]
  const right = (levels: Record<string, number>) => {
    const floor = levels.floor ?? 0
    const level = ({ name }: Persona) => levels[name] ?? -200
    const absent = Math.min(ABSENT_DB, ...heard.map((each) => level(each) - BELOW_HEARD_DB))
    return (
      heard.every((each) => level(each) > HEARD_DB && level(each) > floor + ABOVE_FLOOR_DB) &&
      unheard.every((each) => level(each) < absent)
    )
  }
  const names = (list: readonly Persona[]) => list.map(({ name }) => name).join(', ') || 'nobody'
  const what = `${listener.name} hears ${names(heard)} and not ${names(unheard)}`
  const look = () => listening(listener, all)
  await eventually(what, look, right, { timeoutMs })
  let wasRight = true
  for (let i = 0; i < 4; i++) {
    await timePasses(500, 'the sound goes on')
    const levels = await look()
    const isRight = right(levels)
    // A jitter buffer that corrects its delay causes a click. A click contains every tone for one look, so one wrong
    // look is allowed.
    if (!isRight && !wasRight) throw new Error(`${what}: no longer; dBFS: ${JSON.stringify(levels)}`)
    wasRight = isRight
  }
}

/**
 * Computes how long a picture stood still.
 * @param times of its changes in milliseconds, ascending, including the beginning and the end of the watch
 * @param longestStepMs a step up to this length is the picture's normal pace
 * @param stolen time in which the whole machine stood still; it does not count
 * @returns milliseconds: the full length of every longer step
 */
export function frozenMs(times: readonly number[], longestStepMs: number, stolen: StolenTimeWatch): number {
  return times
    .slice(1)
    .map((time, i) => time - (times[i] ?? time) - stolen.between(times[i] ?? time, time))
    .filter((step) => step > longestStepMs)
    .reduce((sum, step) => sum + step, 0)
}
