import { expect, it } from 'vitest'
import { isUuid, newId } from './ids.ts'

it('makes UUIDs of version 7 that sort in the order they were made', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('carries the time', () => {
  const time = Number.parseInt(newId().replace('-', '').slice(0, 12), 16)
  // The tests above may have used a few milliseconds early.
  expect(Math.abs(time - Date.now())).toBeLessThan(1000)
})

it.each([
  ['0197a1b2-0000-7000-8000-000000000000', true],
  ['0197A1B2-0000-7000-8000-00000000000F', true],
  ['0197a1b2-0000-7000-8000-00000000000', false],
  ['0197a1b200007000800000000000000f', false],
  ['lobby', false],
  ['0197a1b2-0000-7000-8000-000000000000\n', false],
])('recognises %j', (text, expected) => {
  expect(isUuid(text)).toBe(expected)
})
