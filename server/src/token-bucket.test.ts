import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('lets a burst pass, and then as much as is earned', () => {
  const bucket = new TokenBucket(3, 10)
  expect([1, 2, 3, 4].map(() => bucket.take(1000))).toEqual([true, true, true, false])
  expect(bucket.take(1099)).toBe(false)
  expect(bucket.take(1100)).toBe(true)
  expect(bucket.take(1100)).toBe(false)
  expect([1, 2, 3, 4].map(() => bucket.take(60_000))).toEqual([true, true, true, false])
})

test('a debt has to be earned first', () => {
  const bucket = new TokenBucket(10, 10)
  bucket.charge(0, 30)
  expect(bucket.has(1900)).toBe(false)
  expect(bucket.has(2100)).toBe(true)
})

test('a clock that goes back earns nothing', () => {
  const bucket = new TokenBucket(1, 1000)
  expect(bucket.take(5000)).toBe(true)
  expect(bucket.take(4000)).toBe(false)
  expect(bucket.take(5001)).toBe(true)
})
