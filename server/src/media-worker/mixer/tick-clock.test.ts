import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TickClock } from './tick-clock.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The timer that fires next finds that this much time has passed, as after a blocked event loop. */
function block(ms: number): void {
  vi.spyOn(performance, 'now').mockReturnValueOnce(performance.now() + ms)
}

test('ticks at whole periods after its start, for hours', () => {
  const due: number[] = []
  const clock = new TickClock({ periodMs: 1000 / 30, catchUp: 1, onTick: (dueMs) => due.push(dueMs) })
  const startMs = performance.now()
  clock.start()
  vi.advanceTimersByTime(3_600_000)
  expect(due.length).toBeGreaterThanOrEqual(108_000)
  expect(due.length).toBeLessThanOrEqual(108_001)
  expect(due[90_000]! - startMs).toBeCloseTo(3_000_000, 6)
  clock.stop()
  vi.advanceTimersByTime(1000)
  expect(due.length).toBeLessThanOrEqual(108_001)
})

test.each([
  [1, 1],
  [3, 3],
  [100, 10],
])('of ticks that are late at most %d happen', (catchUp, made) => {
  const due: number[] = []
  const clock = new TickClock({ periodMs: 20, catchUp, onTick: (dueMs) => due.push(dueMs) })
  const startMs = performance.now()
  clock.start()
  vi.advanceTimersByTime(0)
  expect(due).toEqual([startMs])
  // Blocked for 205 ms: the ticks of 20 to 200 ms are due when the timer of the first of them is seen.
  block(205)
  vi.advanceTimersByTime(20)
  expect(due.slice(1).map((ms) => Math.round(ms - startMs))).toEqual(
    [20, 40, 60, 80, 100, 120, 140, 160, 180, 200].slice(-made),
  )
  clock.stop()
})

test('can be stopped and started from within its tick', () => {
  let ticks = 0
  const clock: TickClock = new TickClock({
    periodMs: 10,
    catchUp: 5,
    onTick: () => {
      ticks++
      clock.stop()
    },
  })
  clock.start()
  clock.start()
  vi.advanceTimersByTime(100)
  expect(ticks).toBe(1)
  clock.start()
  vi.advanceTimersByTime(100)
  expect(ticks).toBe(2)
})
