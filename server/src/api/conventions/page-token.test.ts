import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ListCursor } from '../../storage/list-page.ts'
import { type PageToken, readPageToken, writePageToken } from './page-token.ts'

const key = createSecretKey(randomBytes(32))

const cursors: fc.Arbitrary<ListCursor> = fc.record(
  {
    at: fc.integer({ min: 0, max: 2 ** 45 }),
    id: fc.uuid(),
    direction: fc.constantFrom('after', 'before'),
    inclusive: fc.constant(true),
  },
  { requiredKeys: ['at', 'id', 'direction'] },
)
const pages: fc.Arbitrary<PageToken> = fc.record({
  number: fc.nat(),
  size: fc.integer({ min: 1, max: 1000 }),
  parameters: fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }), {
    noNullPrototype: true,
  }),
  cursor: cursors,
})

it('reads back what it wrote', () => {
  fc.assert(
    fc.property(pages, fc.string(), (page, list) => {
      const token = writePageToken(key, list, page)
      expect(token).toMatch(/^PA[A-Za-z0-9_-]+$/)
      expect(readPageToken(key, list, token)).toEqual(page)
    }),
  )
})

it('refuses a token of another list, project or server', () => {
  fc.assert(
    fc.property(pages, fc.string(), fc.string(), (page, list, other) => {
      fc.pre(list !== other)
      const token = writePageToken(key, list, page)
      expect(readPageToken(key, other, token)).toBeUndefined()
      expect(readPageToken(createSecretKey(randomBytes(32)), list, token)).toBeUndefined()
    }),
  )
})

it('refuses a token in which anything was changed', () => {
  fc.assert(
    fc.property(pages, fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), (page, index, character) => {
      const token = writePageToken(key, 'list', page)
      const at = index % token.length
      const changed = token.slice(0, at) + character + token.slice(at + 1)
      fc.pre(changed !== token)
      expect(readPageToken(key, 'list', changed)).toBeUndefined()
    }),
  )
})

it.each(['', 'P', 'PA', 'PA=', 'PAAAAAAAAAAAAAAAAAAAAAAAAAA', 'null', 'PA\u0000'])('refuses %j', (token) => {
  expect(readPageToken(key, 'list', token)).toBeUndefined()
})
