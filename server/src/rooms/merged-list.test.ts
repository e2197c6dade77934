import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ListCursor, ListPage, ListRequest } from '../storage/list-page.ts'
import { readMerged } from './merged-list.ts'

interface Row {
  id: string
  created_at: number
}

const newestFirst = (one: Row, other: Row) =>
  other.created_at - one.created_at || (one.id < other.id ? 1 : -1)

/** Makes a list that is read like a list of storage. */
function listOf(rows: readonly Row[]) {
  const sorted = [...rows].sort(newestFirst)
  return async ({ limit, cursor }: ListRequest): Promise<ListPage<Row>> => {
    const isAfter = (row: Row) => {
      const order = cursor ? newestFirst(row, { id: cursor.id, created_at: Number(cursor.at) }) : 1
      const isAt = cursor !== undefined && row.id === cursor.id && row.created_at === cursor.at
      return isAt ? cursor.inclusive === (cursor.direction === 'after') : order > 0
    }
    const [before, after] = [sorted.filter((row) => !isAfter(row)), sorted.filter(isAfter)]
    const isSelf = (row: Row) => row.id === cursor?.id && row.created_at === cursor.at && !cursor.inclusive
    if (cursor?.direction === 'before') {
      const candidates = before.filter((row) => !isSelf(row))
      const page = candidates.slice(-limit)
      const behind = sorted.length - candidates.length > 0
      return { rows: page, hasPrevious: candidates.length > limit, hasNext: behind && page.length > 0 }
    }
    const candidates = after.filter((row) => !isSelf(row))
    const page = candidates.slice(0, limit)
    const behind = sorted.length - candidates.length > 0
    return { rows: page, hasPrevious: behind && page.length > 0, hasNext: candidates.length > limit }
  }
}

/** Rows in three lists. There are few different times, so that many rows share one. */
const threeLists = fc
  .array(fc.record({ created_at: fc.integer({ min: 0, max: 5 }), list: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 40,
  })
  .map((entries) => entries.map((entry, index) => ({ ...entry, id: String(index).padStart(3, '0') })))

it('walks several lists as one, in both directions, from one end to the other', async () => {
  await fc.assert(
    fc.asyncProperty(threeLists, fc.integer({ min: 1, max: 7 }), async (entries, limit) => {
      const lists = [0, 1, 2].map((number) => listOf(entries.filter(({ list }) => list === number)))
      const expected = [...entries].sort(newestFirst).map(({ id }) => id)
      const at = (row: Row | undefined, direction: ListCursor['direction']) =>
        row && { at: row.created_at, id: row.id, direction }

      const pages: Row[][] = []
      let page = await readMerged(lists, { limit })
      expect(page.hasPrevious).toBe(false)
      for (;;) {
        pages.push(page.rows)
        if (!page.hasNext) break
        page = await readMerged(lists, { limit, cursor: at(page.rows.at(-1), 'after') })
        expect(page.hasPrevious).toBe(true)
        expect(page.rows.length).toBeGreaterThan(0)
      }
      expect(pages.flat().map(({ id }) => id)).toEqual(expected)
      for (let back = pages.length - 2; back >= 0; back--) {
        page = await readMerged(lists, { limit, cursor: at(page.rows[0], 'before') })
        expect(page.rows).toEqual(pages[back])
        expect(page.hasNext).toBe(true)
        expect(page.hasPrevious).toBe(back > 0)
      }
    }),
  )
})

it('tells of an empty end of the list what lies before it', async () => {
  const lists = [listOf([{ id: 'a', created_at: 5 }]), listOf([])]
  const page = await readMerged(lists, { limit: 3, cursor: { at: 5, id: 'a', direction: 'after' } })
  expect(page).toEqual({ rows: [], hasPrevious: false, hasNext: false })
  const back = { at: 5, id: 'a', direction: 'before', inclusive: true } as const
  expect((await readMerged(lists, { limit: 3, cursor: back })).rows).toEqual([{ id: 'a', created_at: 5 }])
})
