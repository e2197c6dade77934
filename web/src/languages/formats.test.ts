import { expect, test } from 'vitest'
import { clockText } from './formats.ts'

test('durations read like a clock', () => {
  expect([0, 7, 65.9, 3599, 3600, 36_125, -3].map(clockText)).toEqual([
    '0:00',
    '0:07',
    '1:05',
    '59:59',
    '1:00:00',
    '10:02:05',
    '0:00',
  ])
})
