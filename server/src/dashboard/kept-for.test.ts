import { expect, it, vi } from 'vitest'
import { ManualClock } from '../testing/simulation/manual-clock.ts'
import { KeptFor } from './kept-for.ts'

const clock = new ManualClock(async () => {})

it('asks once for all who ask within its time', async () => {
  const kept = new KeptFor<number>(clock, 1000)
  const ask = vi.fn(async () => ask.mock.calls.length)
  expect(await Promise.all([kept.get('a', ask), kept.get('a', ask)])).toEqual([1, 1])
  await clock.advance(999)
  expect(await kept.get('a', ask)).toBe(1)
  await clock.advance(1)
  expect(await kept.get('a', ask)).toBe(2)
  kept.forget('a')
  expect(await kept.get('a', ask)).toBe(3)
})

it('keeps no failure', async () => {
  const kept = new KeptFor<number>(clock, 1000)
  await expect(kept.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await kept.get('a', async () => 1)).toBe(1)
})

it('holds no answers that are too old', async () => {
  const kept = new KeptFor<number>(clock, 1000)
  for (let count = 0; count < 100; count++) {
    await kept.get(`project ${count}`, async () => count)
    await clock.advance(100)
  }
  expect(kept.size).toBeLessThanOrEqual(10)
})
