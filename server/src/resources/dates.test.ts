import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMoment, formatRfc2822, parseMoment, parseMomentOrRfc2822 } from './dates.ts'

describe('parseMoment', () => {
  it.each([
    ['2022-01-01T23:59:59Z', '2022-01-01T23:59:59.000Z'],
    ['2022-01-01t23:59:59z', '2022-01-01T23:59:59.000Z'],
    ['2022-01-01 23:59:59Z', '2022-01-01T23:59:59.000Z'],
    ['2022-01-01', '2022-01-01T00:00:00.000Z'],
    ['2022-01-01T00:30:00+01:00', '2021-12-31T23:30:00.000Z'],
    ['2022-01-01T00:30:00-05:30', '2022-01-01T06:00:00.000Z'],
    ['2022-01-01T00:00:00.5Z', '2022-01-01T00:00:00.500Z'],
    ['2022-01-01T00:00:00.123999Z', '2022-01-01T00:00:00.123Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['0099-03-01', '0099-03-01T00:00:00.000Z'],
    ['1990-12-31T23:59:60Z', '1991-01-01T00:00:00.000Z'],
    ['1990-12-31T15:59:60-08:00', '1991-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (text, expected) => {
    expect(new Date(parseMoment(text) as number).toISOString()).toBe(expected)
  })

  it.each([
    '',
    '2022',
    '2022-02-30',
    '2023-02-29',
    '1900-02-29',
    '2022-04-31',
    '2022-13-01',
    '2022-00-01',
    '2022-01-00',
    '2022-01-01T24:00:00Z',
    '2022-01-01T23:60:00Z',
    '2022-01-01T12:00:60Z',
    '2022-01-15T23:59:60Z',
    '2022-01-01T00:00:00',
    '2022-01-01T00:00Z',
    '2022-01-01T00:00:00+0100',
    '2022-01-01T00:00:00+24:00',
    '2022-1-1',
    ' 2022-01-01',
    '2022-01-01\n',
    '+002022-01-01',
    '1640995200',
    'yesterday',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '２０２２-01-01',
  ])('refuses %j', (text) => {
    expect(parseMoment(text)).toBeUndefined()
  })

  it('reads whatever formatMoment writes', () => {
    const oldest = Date.parse('0001-01-01T00:00:00Z')
    const newest = Date.parse('9999-12-31T23:59:59.999Z')
    fc.assert(
      fc.property(fc.integer({ min: oldest, max: newest }), (time) => {
        expect(parseMoment(formatMoment(time))).toBe(time)
      }),
    )
  })
})

it('writes what toISOString writes, but for the fraction of whole seconds', () => {
  // All times of a Date (ECMAScript, section 21.4.1.1), years with six digits included.
  const farthest = 8.64e15
  fc.assert(
    fc.property(fc.integer({ min: -farthest, max: farthest }), (time) => {
      expect(formatMoment(time)).toBe(new Date(time).toISOString().replace('.000Z', 'Z'))
    }),
    { numRuns: 3000 },
  )
  expect(() => formatMoment(Number.NaN)).toThrow(RangeError)
})

it('writes whole seconds without a fraction', () => {
  expect(formatMoment(0)).toBe('1970-01-01T00:00:00Z')
  expect(formatMoment(1)).toBe('1970-01-01T00:00:00.001Z')
})

describe('RFC 2822', () => {
  it('reads whatever it writes, to the second', () => {
    const [oldest, newest] = [Date.parse('0100-01-01') / 1000, Date.parse('9999-12-31') / 1000]
    fc.assert(
      fc.property(fc.integer({ min: oldest, max: newest }), (seconds) => {
        expect(parseMomentOrRfc2822(formatRfc2822(seconds * 1000))).toBe(seconds * 1000)
      }),
    )
  })

  it('writes offsets, not names of zones', () => {
    expect(formatRfc2822(Date.UTC(2018, 8, 19, 20) + 999)).toBe('Wed, 19 Sep 2018 20:00:00 +0000')
  })

  it.each([
    'Wed, 19 Sep 2018',
    '32 Sep 2018 20:00:00 GMT',
    '19 Foo 2018 20:00:00 GMT',
    '19 Sep 2018 20:00:00 EST',
    '',
  ])('refuses %j', (text) => {
    expect(parseMomentOrRfc2822(text)).toBeUndefined()
  })
})
