import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LipSync } from './lip-sync.ts'

/** Captured and arrived then, on a good network. */
const frame = (capturedAtMs: number | null, arrivedAtMs: number, dueAtMs = arrivedAtMs) => ({
  capturedAtMs,
  arrivedAtMs,
  dueAtMs,
})

test('pictures wait for sound that is older, and never for more than 500 ms', () => {
  const sync = new LipSync()
  expect(sync.showAtMs('a', frame(1000, 1020), 25)).toBe(1020)
  sync.soundPulled('a', 900, 1000)
  expect(sync.showAtMs('a', frame(1000, 1020), 25)).toBe(1075)
  expect(sync.showAtMs('b', frame(1000, 1020), 25)).toBe(1020)
  // Late already.
  expect(sync.showAtMs('a', frame(1000, 1200), 25)).toBe(1200)
  sync.soundPulled('c', 0, 900)
  expect(sync.showAtMs('c', frame(1000, 1020), 25)).toBe(1520)
})

test('pictures without sound wait for lost packets alone, and never for more than 500 ms', () => {
  const sync = new LipSync()
  expect(sync.showAtMs('a', frame(1000, 1020, 1150), 25)).toBe(1150)
  expect(sync.showAtMs('a', frame(null, 1020, 1150), 25)).toBe(1150)
  expect(sync.showAtMs('a', frame(1000, 1020, 2000), 25)).toBe(1520)
  // The jitter buffer of the sound has waited for them already.
  sync.soundPulled('a', 900, 1100)
  expect(sync.showAtMs('a', frame(1000, 1020, 1150), 25)).toBe(1175)
  // Or will soon.
  expect(sync.showAtMs('a', frame(1000, 1020, 1250), 25)).toBe(1225)
  expect(sync.showAtMs('a', frame(1000, 1020, 1450), 25)).toBe(1295)
  expect(sync.showAtMs('a', frame(null, 1020, 1150), 25)).toBe(1150)
  sync.endOfSound('a')
  expect(sync.showAtMs('a', frame(1000, 1020, 1150), 25)).toBe(1150)
})

test('sound waits for pictures that are later, and never for more than 200 ms', () => {
  const sync = new LipSync()
  sync.soundPulled('a', 1000, 1060)
  expect(sync.soundHoldMs('a')).toBe(0)
  sync.pictureReady('a', 1000, 1150)
  expect(sync.soundHoldMs('a')).toBe(80)
  sync.endOfPictures('a')
  expect(sync.soundHoldMs('a')).toBe(0)
  sync.pictureReady('a', 1000, 1900)
  expect(sync.soundHoldMs('a')).toBe(200)
  sync.removeMember('a')
  expect(sync.soundHoldMs('a')).toBe(0)
})

test('an odd first measurement is soon forgotten', () => {
  const sync = new LipSync()
  sync.soundPulled('a', 700, 1000)
  for (let i = 0; i < 19; i++) sync.soundPulled('a', 900, 1000)
  expect(sync.showAtMs('a', frame(1000, 1000), 0)).toBeCloseTo(1110, 6)
})

test('whatever senders claim about their clocks, holds stay within their bounds', () => {
  const time = fc.double({ min: -1e12, max: 1e12, noNaN: true })
  fc.assert(
    fc.property(fc.array(fc.tuple(time, time, fc.boolean()), { maxLength: 30 }), time, (claims, readyMs) => {
      const sync = new LipSync()
      for (const [capturedMs, seenMs, isSound] of claims) {
        if (isSound) sync.soundPulled('a', capturedMs, seenMs)
        else sync.pictureReady('a', capturedMs, seenMs)
        const shown = sync.showAtMs('a', frame(capturedMs, readyMs), 25)
        expect(shown).toBeGreaterThanOrEqual(readyMs)
        expect(shown).toBeLessThanOrEqual(readyMs + 500.001)
        expect(sync.soundHoldMs('a')).toBeGreaterThanOrEqual(0)
        expect(sync.soundHoldMs('a')).toBeLessThanOrEqual(200)
      }
    }),
  )
})
