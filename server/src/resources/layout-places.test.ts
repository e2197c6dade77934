import { describe, expect, test } from 'vitest'
import { type LayoutName, LIVE_LAYOUTS } from './layout-names.ts'
import { layoutPlaces, type Place } from './layout-places.ts'

/** Tolerance for rounding errors, far below a pixel. */
const DUST = 1e-3

const overlap = (one: Place, other: Place) =>
  Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x) > 1e-9 &&
  Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y) > 1e-9

/** Position, x, y and side of each place, as fractions of the canvas. */
const asFractions = (places: readonly Place[]) =>
  places.map(({ position, x, y, width }) => [position, x / 100, y / 100, width / 100] as const)

function expectPlaces(places: readonly Place[], expected: readonly (readonly [string, ...number[]])[]) {
  expect(places.map(({ position }) => position)).toEqual(expected.map(([position]) => position))
  for (const [index, [, ...numbers]] of asFractions(places).entries())
    for (const [at, number] of numbers.entries())
      expect(number).toBeCloseTo(expected[index]![at + 1] as number, 5)
}

const third = 1 / 3

describe('fixed layouts', () => {
  const fixed: [LayoutName, [string, number, number, number][]][] = [
    ['1x1', [['standard-1', 0, 0, 1]]],
    [
      '2x1',
      [
        ['standard-1', 0, 0.25, 0.5],
        ['standard-2', 0.5, 0.25, 0.5],
      ],
    ],
    [
      '2x2',
      [
        ['standard-1', 0, 0, 0.5],
        ['standard-2', 0.5, 0, 0.5],
        ['standard-3', 0, 0.5, 0.5],
        ['standard-4', 0.5, 0.5, 0.5],
      ],
    ],
    [
      '5up',
      [
        ['standard-1', 0, 0, third],
        ['standard-2', 2 * third, 0, third],
        ['standard-3', third, third, third],
        ['standard-4', 0, 2 * third, third],
        ['standard-5', 2 * third, 2 * third, third],
      ],
    ],
    ['full-screen', [['reserved-1', 0, 0, 1]]],
    [
      'screen-share',
      [
        ['full-screen', 0, 0, 1],
        ['reserved-5', 2 * third, 0, third],
        ['reserved-6', 0, 0, third],
        ['reserved-7', 2 * third, 2 * third, third],
        ['reserved-8', 0, 2 * third, third],
        ['reserved-1', 5 / 6, 0, 1 / 6],
        ['reserved-2', 0, 0, 1 / 6],
        ['reserved-3', 5 / 6, 5 / 6, 1 / 6],
        ['reserved-4', 0, 5 / 6, 1 / 6],
      ],
    ],
    [
      'presenter-dual-horizontal',
      [
        ['standard-1', 0, 0.25, 0.5],
        ['reserved-1', 0.5, 0.25, 0.5],
      ],
    ],
    [
      '1up-top-left5',
      [
        ['reserved-1', 0, 0, 2 * third],
        ['standard-1', 2 * third, 0, third],
        ['standard-2', 2 * third, third, third],
        ['standard-3', 0, 2 * third, third],
        ['standard-4', third, 2 * third, third],
        ['standard-5', 2 * third, 2 * third, third],
      ],
    ],
    [
      '1x1-2x1',
      [
        ['standard-1', 0.25, 0, 0.5],
        ['standard-2', 0, 0.5, 0.5],
        ['standard-3', 0.5, 0.5, 0.5],
      ],
    ],
  ]

  test.each(fixed)('%s lies as it was published, however many there are', (name, expected) => {
    for (const members of [0, 1, 2, 12, 300]) expectPlaces(layoutPlaces(name, members), expected)
  })

  test.each([
    ['3x3', 3],
    ['4x4', 4],
    ['5x5', 5],
    ['6x6', 6],
    ['8x8', 8],
    ['10x10', 10],
  ] as const)('%s has its square of places, row by row', (name, size) => {
    const expected = Array.from({ length: size * size }, (_, index) => {
      const [column, row] = [index % size, Math.floor(index / size)]
      return [`standard-${index + 1}`, column / size, row / size, 1 / size] as const
    })
    expectPlaces(layoutPlaces(name, 0), expected)
  })

  test.each([
    ['1up-top-left5', 2 / 3, 5],
    ['1up-top-left7', 3 / 4, 7],
    ['1up-top-left9', 4 / 5, 9],
    ['1up-top-left16', 3 / 5, 16],
  ] as const)('%s has a large place top left and the others around it', (name, large, others) => {
    const [first, ...rest] = layoutPlaces(name, 0)
    expectPlaces([first!], [['reserved-1', 0, 0, large]])
    expect(rest.map(({ position }) => position)).toEqual(
      Array.from({ length: others }, (_, index) => `standard-${index + 1}`),
    )
    expect(rest.every(({ width }) => width === rest[0]!.width)).toBe(true)
    const covered = [first!, ...rest].reduce((sum, { width, height }) => sum + width * height, 0)
    expect(covered).toBeCloseTo(10_000, 0)
  })
})

describe('responsive layouts', () => {
  test('the grid for portrait gets rows before columns', () => {
    const shape = (count: number) => {
      const places = layoutPlaces('grid-responsive-mobile', count)
      const rows = Map.groupBy(places, ({ y }) => y)
      return [Math.max(...[...rows.values()].map((row) => row.length)), rows.size]
    }
    expect([1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 13].map(shape)).toEqual([
      [1, 1],
      [1, 2],
      [2, 2],
      [2, 2],
      [2, 3],
      [2, 3],
      [3, 3],
      [3, 3],
      [3, 4],
      [3, 4],
      [4, 4],
    ])
    expectPlaces(layoutPlaces('grid-responsive-mobile', 2), [
      ['standard-1', 0.25, 0, 0.5],
      ['standard-2', 0.25, 0.5, 0.5],
    ])
  })

  test('the highlight shrinks its tiles as others come', () => {
    const large = (count: number) => layoutPlaces('highlight-1-responsive', count)[0]!.width / 100
    const expected = [
      [1, 1],
      [2, 2 / 3],
      [6, 2 / 3],
      [7, 3 / 4],
      [8, 3 / 4],
      [9, 4 / 5],
      [10, 4 / 5],
      [11, 3 / 5],
      [17, 3 / 5],
      [18, 1 / 2],
      [76, 1 / 2],
      [300, 1 / 2],
    ] as const
    for (const [count, width] of expected) expect(large(count)).toBeCloseTo(width, 5)
    expect(layoutPlaces('highlight-1-responsive', 300)).toHaveLength(76)
  })

  test.each(['grid-responsive', 'grid-responsive-mobile'] as const)('%s, for 1 to 300 members', (name) => {
    for (const count of [...Array.from({ length: 40 }, (_, index) => index + 1), 81, 82, 99, 100, 101, 300]) {
      const places = layoutPlaces(name, count)
      expect(places).toHaveLength(Math.min(count, 100))
      const size = places[0]!.width
      const perSide = Math.round(100 / size)
      expect(perSide ** 2).toBeGreaterThanOrEqual(places.length)
      expect((perSide - 1) ** 2).toBeLessThan(places.length)
      const rows = [...Map.groupBy(places, ({ y }) => y).values()]
      const columns = rows[0]!.length
      rows.forEach((row, index) => {
        if (index < rows.length - 1) expect(row).toHaveLength(columns)
        // Each row is centred, and so are all of them together.
        expect(row[0]!.x).toBeCloseTo(100 - row.at(-1)!.x - size, 3)
        if (index > 0) expect(row[0]!.y).toBeCloseTo(rows[index - 1]![0]!.y + size, 3)
      })
      expect(rows[0]![0]!.y).toBeCloseTo(100 - rows.at(-1)![0]!.y - size, 3)
    }
  })
})

test.each(LIVE_LAYOUTS)('%s keeps places of a level apart, inside the canvas, and 16:9', (name) => {
  for (const count of [0, 1, 2, 3, 5, 6, 7, 8, 10, 12, 17, 18, 30, 76, 300]) {
    const places = layoutPlaces(name, count)
    expect(new Set(places.map(({ position }) => position)).size).toBe(places.length)
    for (const [index, one] of places.entries()) {
      expect(one.x).toBeGreaterThanOrEqual(0)
      expect(one.y).toBeGreaterThanOrEqual(0)
      expect(one.x + one.width).toBeLessThanOrEqual(100 + DUST)
      expect(one.y + one.height).toBeLessThanOrEqual(100 + DUST)
      expect(one.width).toBe(one.height)
      // Places are listed from the bottom up.
      if (index > 0) expect(one.zIndex).toBeGreaterThanOrEqual(places[index - 1]!.zIndex)
      const sameLevel = places.slice(index + 1).filter(({ zIndex }) => zIndex === one.zIndex)
      expect(sameLevel.some((other) => overlap(one, other))).toBe(false)
    }
  }
})
