import { expect, test } from 'vitest'
import { wasForAll } from './interruption.ts'

test('an accident of the server is one of all, a dropped connection is that of one person', () => {
  expect(wasForAll('server-trouble', true)).toBe(true)
  expect(wasForAll('server-restarted', false)).toBe(true)
  expect(wasForAll('connection-lost', false)).toBe(true)
  expect(wasForAll('connection-lost', true)).toBe(false)
  expect(wasForAll('media-failed', true)).toBe(false)
})
