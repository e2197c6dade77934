import { expect, it } from 'vitest'
import type { ListCursor } from '../storage/list-page.ts'
import { pageOf } from './page-of.ts'

const rows = ['e', 'a', 'c', 'b', 'd'].map((id) => ({ id, created_at: id < 'c' ? 1 : 2 }))
const at = (id: string, direction: 'after' | 'before', inclusive = false): ListCursor => ({
  id,
  at: id < 'c' ? 1 : 2,
  direction,
  inclusive,
})
const read = (cursor: ListCursor | undefined, limit = 2) => {
  const page = pageOf(rows, { limit, cursor })
  return [page.rows.map(({ id }) => id).join(''), page.hasPrevious, page.hasNext]
}

it('reads pages forth and back, newest first', () => {
  expect(read(undefined)).toEqual(['ed', false, true])
  expect(read(at('d', 'after'))).toEqual(['cb', true, true])
  expect(read(at('b', 'after'))).toEqual(['a', true, false])
  expect(read(at('a', 'after'))).toEqual(['', false, false])
  expect(read(at('b', 'before'))).toEqual(['dc', true, true])
  expect(read(at('d', 'before'))).toEqual(['e', false, true])
  expect(read(at('d', 'after', true))).toEqual(['dc', true, true])
  expect(read(undefined, 9)).toEqual(['edcba', false, false])
})
