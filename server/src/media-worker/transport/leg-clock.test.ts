import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { everyLegLook, everyLegTick, LEG_TICK_MS } from './leg-clock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('legs that only look wake the process ten times a second, all together', () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const looks = [vi.fn(), vi.fn(), vi.fn(), vi.fn()]
  const ends = looks.map((look) => everyLegLook(look))
  set.mockClear()
  vi.advanceTimersByTime(1000)
  for (const look of looks) expect(look).toHaveBeenCalledTimes(10)
  expect(set).toHaveBeenCalledTimes(10)
  for (const end of ends) end()
  expect(vi.getTimerCount()).toBe(0)
})

test('many legs do not look at the same moment', () => {
  const at = new Set<number>()
  const ends = Array.from({ length: 100 }, () => everyLegLook((nowMs) => at.add(nowMs)))
  vi.advanceTimersByTime(100)
  expect(at.size).toBe(10)
  for (const end of ends) end()
})

test('what is urgent is called at once, again and again, and looks keep their times', () => {
  const look = vi.fn()
  const endLook = everyLegLook(look)
  for (let round = 0; round < 20; round++) {
    vi.advanceTimersByTime(35)
    const tick = vi.fn(() => endTick())
    const endTick = everyLegTick(tick)
    vi.advanceTimersByTime(LEG_TICK_MS)
    expect(tick).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(5)
  }
  expect(look).toHaveBeenCalledTimes(10)
  endLook()
  expect(vi.getTimerCount()).toBe(0)
})

test('after a stop of the whole process everybody has one turn', () => {
  const looks = Array.from({ length: 80 }, () => vi.fn())
  const tick = vi.fn()
  const ends = [...looks.map((look) => everyLegLook(look)), everyLegTick(tick)]
  vi.advanceTimersByTime(100)
  for (const each of [...looks, tick]) each.mockClear()
  vi.setSystemTime(Date.now() + 5000)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5000)
  vi.advanceTimersToNextTimer()
  for (const each of [...looks, tick]) expect(each).toHaveBeenCalledTimes(1)
  vi.restoreAllMocks()
  for (const end of ends) end()
})
