import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addSpans, HOUR_MS, type Hours, lengthOf, span } from './hours.ts'

const total = (hours: Hours) => [...hours.values()].reduce((sum, ms) => sum + ms, 0)
const spans = fc
  .tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 40 * HOUR_MS }))
  .map(([start, length]) => ({ start, end: start + length }))

it('shares out a span among its hours without losing time', () => {
  fc.assert(
    fc.property(spans, ({ start, end }) => {
      const hours: Hours = new Map()
      addSpans(hours, span(start, end))
      expect(total(hours)).toBe(end - start)
      expect(lengthOf(span(start, end))).toBe(end - start)
      for (const [hour, ms] of hours) {
        const begin = hour * HOUR_MS
        expect(ms).toBe(Math.min(end, begin + HOUR_MS) - Math.max(start, begin))
      }
    }),
  )
})

it('gives a group of spans the same hours as its spans one by one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 3 }),
      fc.array(fc.tuple(fc.nat(HOUR_MS / 2 - 1), fc.integer({ min: HOUR_MS / 2, max: HOUR_MS - 1 })), {
        minLength: 1,
      }),
      (firstHour, more, offsets) => {
        const lastHour = firstHour + more
        const [together, apart]: [Hours, Hours] = [new Map(), new Map()]
        const sum = (index: 0 | 1) => offsets.reduce((all, offset) => all + offset[index], 0)
        addSpans(together, { firstHour, lastHour, count: offsets.length, starts: sum(0), ends: sum(1) })
        for (const [start, end] of offsets) {
          addSpans(apart, span(firstHour * HOUR_MS + start, lastHour * HOUR_MS + end))
        }
        expect(together).toEqual(apart)
      },
    ),
  )
})
