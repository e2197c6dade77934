import { describe, expect, test } from 'vitest'
import { type Operation, operation, operations } from './api-document.ts'
import { freshName } from './project.ts'
import type { Suite } from './suite.ts'

interface Page {
  links: { self: string; first: string; next: string | null; prev: string | null }
  data: { id: string; name: string }[]
}

/** Lists that have pages. */
const lists = operations.filter(({ queryParameters }) =>
  queryParameters.some(({ name }) => name === 'page_token'),
)

/** Tests the paging rules. */
export function paging(suite: Suite): void {
  const follow = async (link: string): Promise<Page> => {
    const { caller, project } = suite
    const answer = await caller.fetch('GET', link, { authorization: project.authorization })
    expect(answer.status, `${link}: ${answer.text}`).toBe(200)
    return answer.json
  }

  describe.each(lists.map((list) => [list.id, list] as const))('the pages of %s', (_, list) => {
    test('have four links, and refuse tokens that are not theirs', () => tokens(suite, list, follow))
  })

  describe.each(['rooms', 'conferences'] as const)('while %s come and go', (what) => {
    const create = operation(what === 'rooms' ? 'createRoom' : 'createConference')
    const remove = operation(what === 'rooms' ? 'deleteRoom' : 'deleteConference')
    const make = async () => {
      const body = { name: freshName(), display_name: 'Paged' }
      return (await suite.project.call(create, { body })).id as string
    }
    const drop = (id: string) => suite.project.call(remove, { path: { id } })

    test('each that stays is on one page, and the way back leads over the same', async () => {
      const stay: string[] = []
      const go: string[] = []
      for (let i = 0; i < 12; i++) {
        stay.push(await make())
        go.push(await make())
      }
      const seen: string[] = []
      let page = await follow(`/api/video/${what}?page_size=5`)
      expect(page.links.prev).toBeNull()
      for (;;) {
        seen.push(...page.data.map(({ id }) => id))
        const [gone] = go.splice(go.length - 1, 1)
        await Promise.all([make(), make(), gone !== undefined && drop(gone)])
        if (page.links.next === null || stay.every((id) => seen.includes(id))) break
        page = await follow(page.links.next)
      }
      expect(new Set(seen).size).toBe(seen.length)
      // Newest first.
      expect(seen.filter((id) => stay.includes(id))).toEqual([...stay].reverse())

      const back: string[] = []
      while (page.links.prev !== null) {
        page = await follow(page.links.prev)
        back.unshift(...page.data.map(({ id }) => id))
      }
      expect(new Set(back).size).toBe(back.length)
      expect(stay.filter((id) => !seen.slice(-5).includes(id) && !back.includes(id))).toEqual([])
    })
  })
}

async function tokens(suite: Suite, list: Operation, follow: (link: string) => Promise<Page>): Promise<void> {
  const { caller, project, other } = suite
  const good = await project.goodCall(list)
  const first = await caller.call(list, { ...good, query: { page_size: '1' } })
  const { links, data } = first.json as Page
  expect(Object.keys(links).sort()).toEqual(['first', 'next', 'prev', 'self'])
  expect(links.prev).toBeNull()
  expect(data.length).toBeLessThanOrEqual(1)

  const codeOf = async (query: Record<string, string>, authorization = good.authorization) => {
    const answer = await caller.call(list, { ...good, query, authorization })
    expect(answer.status, answer.text).toBe(422)
    return answer.json.errors[0].code
  }
  expect(await codeOf({ page_number: '1' })).toBe('page_token_required')
  for (const token of ['PA', 'PAAAAA', 'x', `PA${'x'.repeat(100)}`]) {
    expect(await codeOf({ page_token: token })).toBe('page_token_is_invalid')
  }
  if (links.next === null) return
  const second = await follow(links.next)
  expect(second.data[0]?.id).not.toBe(data[0]?.id)
  expect((await follow(second.links.prev ?? '')).data[0]?.id).toBe(data[0]?.id)
  expect(second.links.first).toBe(links.first)

  const token = new URL(links.next, 'https://x').searchParams.get('page_token') ?? ''
  expect(token).toMatch(/^PA/)
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
  expect(await codeOf({ page_token: changed })).toBe('page_token_is_invalid')
  const foreign = list.pathParameters.length === 0 && other.authorizationFor(list)
  if (foreign) expect(await codeOf({ page_token: token }, foreign)).toBe('page_token_is_invalid')
  const another = lists.find(({ id, pathParameters }) => id !== list.id && pathParameters.length === 0)
  if (another) {
    const answer = await caller.call(another, { ...good, path: {}, query: { page_token: token } })
    expect(answer.json.errors[0].code).toBe('page_token_is_invalid')
  }
}
