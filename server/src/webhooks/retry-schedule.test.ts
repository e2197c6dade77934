import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LAST_ATTEMPT_MS, nextAttempt, readRetryAfter } from './retry-schedule.ts'

describe('the pause before the next attempt', () => {
  it.each([
    [1, 5],
    [2, 15],
    [3, 45],
    [4, 135],
    [9, 28_800],
    [40, 28_800],
  ])('after %i attempts is %i s', (attempts, seconds) => {
    const failed = { attempts, firstAt: 1e12, now: 1e12, retryAfterMs: 0 }
    expect(nextAttempt(failed, 0.5)).toBe(1e12 + seconds * 1000)
    expect(nextAttempt(failed, 0)).toBe(Math.ceil(1e12 + seconds * 750))
    expect(nextAttempt(failed, 1)).toBe(Math.ceil(1e12 + seconds * 1250))
  })

  it('ends with an attempt after 24 hours, whatever the receiver asks for', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.nat(1e9), { minLength: 40, maxLength: 40 }),
        (random, asked) => {
          let now = 1e12
          for (let attempts = 1; ; attempts++) {
            const retryAfterMs = asked[attempts] ?? 0
            const next = nextAttempt({ attempts, firstAt: 1e12, now, retryAfterMs }, random)
            if (next === null) break
            expect(next).toBeGreaterThan(now)
            now = next
            expect(attempts).toBeLessThan(20)
          }
          expect(now).toBe(1e12 + LAST_ATTEMPT_MS)
        },
      ),
    )
  })
})

it.each([
  [undefined, 0],
  ['120', 120_000],
  [' 7 ', 7000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Wed, 31 Dec 2025 00:01:00 GMT', 0],
  ['soon', 0],
  ['-5', 0],
  ['1e9', 0],
])('reads Retry-After: %s', (header, waitMs) => {
  expect(readRetryAfter(header, Date.UTC(2026, 0, 1))).toBe(waitMs)
})
