import { expect, test } from 'vitest'
import { isOpen, readOpenRooms } from './open-rooms.ts'

test.each([
  ['all', null],
  ['none', []],
  ['lobby, public-*,lobby', ['lobby', 'public-*']],
])('%s is read as %j', (text, open) => {
  expect(readOpenRooms(text)).toEqual(open)
})

test.each([
  '',
  'a,,b',
  'a*b',
  '**',
  'a\nb',
  'x'.repeat(202),
  Array(101)
    .fill(0)
    .map((_, i) => i)
    .join(','),
])('%j is refused', (text) => {
  expect(() => readOpenRooms(text)).toThrow(
    expect.objectContaining({
      entries: [expect.objectContaining({ code: 'invalid_parameter', attribute: 'rooms' })],
    }),
  )
})

test('a name is open by itself or by its beginning', () => {
  expect(isOpen(null, 'board')).toBe(true)
  expect(isOpen([], 'board')).toBe(false)
  expect(
    ['lobby', 'lobby-2', 'public-', 'public-a', 'PUBLIC-a'].filter((name) =>
      isOpen(['lobby', 'public-*'], name),
    ),
  ).toEqual(['lobby', 'public-', 'public-a'])
})
