import { describe, expect, test } from 'vitest'
import { LIVE_LAYOUTS } from '../../../server/src/resources/layout-names.ts'
import { layoutDrawing } from './layout-drawing.ts'
import { layoutTitle } from './layout-title.ts'

describe.each(LIVE_LAYOUTS)('the drawing of %s', (name) => {
  test.each([0, 1, 2, 5, 12])('has places inside the picture for %i members', (members) => {
    const places = layoutDrawing(name, members)
    expect(places.length).toBeGreaterThan(0)
    expect(new Set(places.map(({ position }) => position)).size).toBe(places.length)
    for (const { x, y, width, height } of places) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
      expect(Math.max(x + width, y + height)).toBeLessThanOrEqual(100 + 1e-9)
    }
  })
})

test('a layout that the page does not know has no drawing', () => {
  expect(layoutDrawing('new-one', 3)).toEqual([])
  expect(layoutDrawing('toString', 3)).toEqual([])
})

test('every layout has a name of its own for people', () => {
  const titles = LIVE_LAYOUTS.map(layoutTitle)
  expect(new Set(titles).size).toBe(LIVE_LAYOUTS.length)
  expect(titles.filter((title) => title.includes('-'))).toEqual([])
  expect(layoutTitle('10x10')).toBe('10 × 10')
})
