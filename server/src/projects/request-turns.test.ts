import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { ManualClock } from '../testing/simulation/manual-clock.ts'
import { type TemporaryCluster, temporaryCluster } from '../testing/temporary-cluster.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { turnsOfAllServers } from './request-turns.ts'

const log = pino({ level: 'silent' })
let postgres: TemporaryCluster
let storages: Storage[]
beforeAll(async () => {
  postgres = await temporaryCluster()
  const url = await postgres.createDatabase()
  storages = [await openStorage(url), await openStorage(url)]
  await storages[0]?.projects.insert({ id: 'p', name: 'p', created_at: 1 })
})
afterAll(async () => {
  await Promise.all(storages.map((storage) => storage.close()))
  await postgres.remove()
})

const serversWith = (clock = systemClock) =>
  storages.map((storage) => {
    const turns = turnsOfAllServers({ storage, clock, log })
    return { turns, answers: createKeptAnswers({ storage, turns, sealingKey: Buffer.alloc(32), clock }) }
  })

it('runs a request once, whichever servers get it at the same time', async () => {
  const servers = serversWith()
  const ran: string[] = []
  async function send(server: (typeof servers)[number], key: string): Promise<string> {
    const begun = await server.answers.begin({ projectId: 'p', key, hash: 'h' })
    if (begun === 'different') return begun
    if (!('end' in begun)) return begun.body
    ran.push(key)
    const body = `answer ${ran.length}`
    await begun.keep({ status: 200, body })
    return body
  }
  const keys = Array.from({ length: 200 }, (_, count) => `key-${count}`)
  const answers = await Promise.all(
    keys.map((key) => Promise.all([...servers, ...servers].map((server) => send(server, key)))),
  )
  expect(ran.sort()).toEqual([...keys].sort())
  for (const same of answers) expect(new Set(same).size).toBe(1)
})

it('lets another server have the turn of one that died, after a minute', async () => {
  const clock = new ManualClock(() => Promise.resolve())
  const [dead, other] = serversWith(clock)
  await dead?.turns.take({ projectId: 'p', key: 'left' })
  const taken = other?.turns.take({ projectId: 'p', key: 'left' })
  const refused = expect(taken).rejects.toMatchObject({ code: 'unavailable' })
  let isOver = false
  void refused.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await clock.advance(100)
    await storages[0]?.projects.find('p')
  }
  await refused
  await clock.advance(60_000)
  const end = await other?.turns.take({ projectId: 'p', key: 'left' })
  await end?.()
})
