import { expect, test } from 'vitest'
import { excessOf } from './message-length.ts'

test.each([
  ['', 0],
  ['a'.repeat(19_998), 0],
  ['a'.repeat(19_999), 1],
  ['"'.repeat(9999), 0],
  ['"'.repeat(10_000), 2],
  ['\u0001'.repeat(3333), 0],
  ['\u0001'.repeat(3334), 6],
])('counts by how much a text is too long (%#)', (text, excess) => {
  expect(excessOf(text)).toBe(excess)
})
