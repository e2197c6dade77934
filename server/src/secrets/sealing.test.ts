import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seal, unseal } from './sealing.ts'

const key = randomBytes(32)

test('what was sealed comes back, and looks different each time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, context) => {
      const sealed = seal(key, context, text)
      expect(unseal(key, context, sealed)).toBe(text)
      expect(seal(key, context, text)).not.toBe(sealed)
    }),
  )
})

test('another key, another context and a changed text are refused', () => {
  const sealed = seal(key, 'token:1', 'vpt_secret')
  expect(() => unseal(randomBytes(32), 'token:1', sealed)).toThrow()
  expect(() => unseal(key, 'token:2', sealed)).toThrow()
  const bytes = Buffer.from(sealed, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(() => unseal(key, 'token:1', changed.toString('base64url'))).toThrow()
  }
  expect(() => unseal(key, 'token:1', '')).toThrow()
})
