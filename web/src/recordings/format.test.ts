import { expect, test } from 'vitest'
import { dayText, sizeText } from './format.ts'

test('sizes keep at most three digits before the unit changes', () => {
  expect([0, 999, 1000, 3_449_000, 99_960_000, 999_600_000, 4_200_000_000].map(sizeText)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '3.4 MB',
    '100 MB',
    '1.0 GB',
    '4.2 GB',
  ])
})

test('days are told from the day in which the reader is', () => {
  const now = new Date(2026, 2, 10, 0, 30).getTime()
  expect(dayText(new Date(2026, 2, 10, 0, 5).getTime(), now)).toBe('Today, 00:05')
  expect(dayText(new Date(2026, 2, 9, 23, 55).getTime(), now)).toBe('Yesterday, 23:55')
  expect(dayText(new Date(2026, 2, 8, 12, 0).getTime(), now)).toBe('8 Mar 2026, 12:00')
})
