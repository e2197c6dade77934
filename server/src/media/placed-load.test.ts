import { expect, test } from 'vitest'
import { PlacedLoad } from './placed-load.ts'

test('what was placed counts until it shows in the reports', () => {
  const load = new PlacedLoad()
  expect(load.expected).toBe(0)
  load.place(0.1)
  load.report(0.2)
  load.place(0.1)
  expect(load.expected).toBeCloseTo(0.4)
  load.report(0.4)
  expect(load.expected).toBeCloseTo(0.5)
  for (let second = 0; second < 3; second++) load.report(0.6)
  expect(load.expected).toBeCloseTo(0.6)
})

test('a new process starts from nothing', () => {
  const load = new PlacedLoad()
  load.place(1)
  load.report(1)
  load.clear()
  expect(load.expected).toBe(0)
  load.place(0.5)
  expect(load.expected).toBe(0.5)
})

test('viewers who come faster than reports are spread all the same', () => {
  const loads = [new PlacedLoad(), new PlacedLoad()]
  loads[0]?.report(0.3)
  loads[1]?.report(0.1)
  const placed = [0, 0]
  for (let viewer = 0; viewer < 150; viewer++) {
    const at = (loads[0]?.expected ?? 0) <= (loads[1]?.expected ?? 0) ? 0 : 1
    loads[at]?.place(0.004)
    placed[at] = (placed[at] ?? 0) + 1
  }
  expect(placed).toEqual([50, 100])
})
