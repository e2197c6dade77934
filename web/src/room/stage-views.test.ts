import { expect, test } from 'vitest'
import { layoutPlaces } from '../../../server/src/resources/layout-places.ts'
import type { MeetingTile } from './meeting-state.ts'
import { insideView, isUpright, type Rectangle, stageViews, tilesInside, uncovered } from './stage-views.ts'

const phone = { width: 390, height: 720 }
const desktop = { width: 1240, height: 640 }

const tilesOf = (layout: Parameters<typeof layoutPlaces>[0], count: number): MeetingTile[] =>
  layoutPlaces(layout, count)
    .slice(0, count)
    .map(({ x, y, width, height }, index) => ({
      memberId: `m${index}`,
      x,
      y,
      width,
      height,
      live: true,
    }))

/** All but the lines between the tiles. */
function expectNearly(part: Rectangle, expected: Rectangle): void {
  for (const side of ['x', 'y', 'width', 'height'] as const)
    expect(Math.abs(part[side] - expected[side])).toBeLessThan(0.6)
}

const area = ({ width, height }: { width: number; height: number }) => width * height
const ratio = ({ width, height }: Rectangle) => (width / height) * (16 / 9)

test('without a main tile the whole picture is as large as the stage allows', () => {
  const { main, strip } = stageViews(desktop, tilesOf('grid-responsive', 4), null, false)
  expect(strip).toBeNull()
  expect(main.part).toEqual({ x: 0, y: 0, width: 100, height: 100 })
  expect(main.box.height).toBeCloseTo(640)
  expect(main.box.x * 2 + main.box.width).toBeCloseTo(1240)
})

test('a main tile fills a wide stage alone, and nothing of it is cut off', () => {
  const tiles = tilesOf('grid-responsive', 4)
  const { main, strip } = stageViews(desktop, tiles, tiles[2]!, false)
  expect(strip).toBeNull()
  expectNearly(main.part, { x: 0, y: 50, width: 50, height: 50 })
  expect(main.box.height).toBeCloseTo(640)
})

test.each([1, 2, 3, 4, 5, 9, 30])('an upright stage is filled with the tiles of %i members', (count) => {
  expect(isUpright(phone)).toBe(true)
  const tiles = tilesOf('grid-responsive', count)
  const { main, strip } = stageViews(phone, tiles, tiles[0]!, false)
  const views = [main, ...(strip?.views ?? [])]
  expect(views.map(({ memberId }) => memberId).toSorted()).toEqual(
    tiles.map(({ memberId }) => memberId).toSorted(),
  )
  for (const view of views) {
    const tile = tiles.find(({ memberId }) => memberId === view.memberId)!
    const { part, box } = view
    expect(ratio(part)).toBeCloseTo(box.width / box.height)
    expect(part.x).toBeGreaterThanOrEqual(tile.x)
    expect(part.x + part.width).toBeLessThanOrEqual(tile.x + tile.width + 1e-9)
    expect(part.y).toBeGreaterThanOrEqual(tile.y)
    expect(part.y + part.height).toBeLessThanOrEqual(tile.y + tile.height + 1e-9)
  }
  const seen = (strip?.views ?? []).filter(({ box }) => box.x < phone.width)
  const shown = area(main.box) + seen.reduce((sum, { box }) => sum + area(box), 0)
  expect(shown).toBeGreaterThan(0.9 * area(phone))
  expect(main.box.height).toBeGreaterThanOrEqual((strip?.box.height ?? 0) - 1)
})

test('of a shared screen nothing is cut off on an upright stage', () => {
  const tiles = tilesOf('grid-responsive', 4)
  const { main, strip } = stageViews(phone, tiles, tiles[3]!, true)
  expectNearly(main.part, { x: 50, y: 50, width: 50, height: 50 })
  expect(ratio(main.part)).toBeCloseTo(16 / 9)
  expect(main.box).toEqual({ x: 0, y: 0, width: 390, height: 390 * (9 / 16) })
  expect(strip?.views).toHaveLength(3)
})

test('a label stays with the visible part of its tile', () => {
  const tiles = tilesOf('grid-responsive', 4)
  const { main } = stageViews(phone, tiles, tiles[1]!, false)
  const [label, ...others] = tilesInside(main, tiles)
  expect(label).toMatchObject({ memberId: 'm1', x: 0, y: 0, width: 100, height: 100 })
  expect(others).toEqual([])
  expect(insideView(main, tiles[1]!).width).toBeGreaterThan(100)
})

test('a shared screen has the labels of those who are drawn over it, and they do not have its label', () => {
  const places = layoutPlaces('screen-share', 5)
  const share: MeetingTile = { memberId: 'share', ...pick(places[0]!), live: true }
  const person: MeetingTile = { memberId: 'ada', ...pick(places.at(-1)!), live: true }
  const tiles = [share, person]
  const whole = stageViews(desktop, tiles, null, false).main
  expect(tilesInside(whole, tiles).map(({ memberId }) => memberId)).toEqual(['share', 'ada'])
  const ofShare = stageViews(desktop, tiles, share, true).main
  expect(tilesInside(ofShare, tiles).map(({ memberId }) => memberId)).toEqual(['share', 'ada'])
  const ofAda = stageViews(desktop, tiles, person, false).main
  expect(tilesInside(ofAda, tiles).map(({ memberId }) => memberId)).toEqual(['ada'])
})

test('who is below a member on the full screen is not seen', () => {
  const [below, above] = tilesOf('grid-responsive', 2)
  const full = { ...above!, x: 0, y: 0, width: 100, height: 100 }
  expect(uncovered([below!, full])).toEqual([full])
  expect(uncovered([full, below!])).toEqual([full, below!])
})

const pick = ({ x, y, width, height }: Rectangle): Rectangle => ({ x, y, width, height })
