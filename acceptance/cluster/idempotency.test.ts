import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Rest } from '../testing/rest.ts'
import { ThreeNodes } from './three-nodes.ts'

const KEYS = 1000
const AT_ONCE = 20

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-idempotency', { PARLEY_REQUESTS_PER_MINUTE: '0' })
})
afterAll(() => all?.stop())

test('the same Idempotency-Key on all nodes at once makes one room, a thousand times', {
  timeout: 180_000,
}, async () => {
  const nodes = all.names.map((name) => all.restOf(name))
  const answers: string[][] = []
  for (let start = 0; start < KEYS; start += AT_ONCE) {
    const races = Array.from({ length: AT_ONCE }, async (_, index) => {
      const key = `race-${start + index}`
      const send = (rest: Rest) =>
        rest.send<{ id: string }>('POST', '/rooms', { name: key }, undefined, { 'idempotency-key': key })
      return (await Promise.all(nodes.map(send))).map(({ body }) => body.id)
    })
    answers.push(...(await Promise.all(races)))
  }
  for (const ids of answers) expect(new Set(ids).size).toBe(1)
  expect(new Set(answers.flat()).size).toBe(KEYS)
  expect(await all.query("select count(*) from rooms where name like 'race-%'")).toEqual([String(KEYS)])
  expect(await all.query('select count(*) from running_requests')).toEqual(['0'])
  await Promise.all(nodes.map((rest) => rest.close()))
})
