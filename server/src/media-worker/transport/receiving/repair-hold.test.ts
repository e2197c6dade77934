import { expect, test } from 'vitest'
import { RecentLosses } from '../recent-losses.ts'
import { RepairHold } from './repair-hold.ts'

const FRAME_MS = 40
const LOSS_AT_MS = 1000

/** When the frames of four seconds are due that all take as long, on a network that shows losses after a second. */
function dueTimes(roundTripMs: number): number[] {
  const losses = new RecentLosses()
  const hold = new RepairHold(losses)
  hold.roundTripMs = roundTripMs
  return Array.from({ length: 4000 / FRAME_MS }, (_, i) => {
    const atMs = i * FRAME_MS
    if (atMs >= LOSS_AT_MS && atMs < LOSS_AT_MS + 3 * FRAME_MS) losses.add(atMs)
    return hold.dueAtMs(atMs * 90, atMs)
  })
}

test('with the first losses, pictures come to wait as long as a repair usually takes', () => {
  const due = dueTimes(100)
  const waited = due.map((dueAtMs, i) => dueAtMs - i * FRAME_MS)
  expect(Math.max(...waited.slice(0, LOSS_AT_MS / FRAME_MS))).toBe(0)
  expect(Math.max(...waited)).toBeCloseTo(1.6 * 100 + 75)
})

test('the wait comes in slow motion, without a standstill', () => {
  const due = dueTimes(100)
  const steps = due.slice(1).map((dueAtMs, i) => dueAtMs - due[i]!)
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * FRAME_MS)
})

test('where a repair takes so little that hardly anything stumbles, nothing waits before it is measured', () => {
  const due = dueTimes(20)
  expect(due).toEqual(due.map((_, i) => i * FRAME_MS))
})
