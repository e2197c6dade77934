import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { createSubscribers, type Subscribers } from './subscribers.ts'

const projectId = 'p'
const host = 'localhost'
const HOUR_MS = 3_600_000

describe.each(databaseKinds)('sign-ins in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  let subscribers: Subscribers
  let nowMs: number
  beforeAll(async () => {
    server = await startServer()
  }, 60_000)
  afterAll(() => server.remove())
  beforeEach(async () => {
    nowMs = Date.UTC(2030, 0, 1)
    storage = await openStorage(await server.emptyDatabase())
    await storage.projects.insert({ id: projectId, name: 'p', created_at: 1 })
    const clock = { monotonicMs: () => nowMs, now: () => nowMs, after: () => ({ cancel() {} }) }
    const addresses = { findAll: async () => [] }
    subscribers = createSubscribers({ storage, addresses, tokenKey: randomBytes(64), clock })
    return () => storage.close()
  })

  const signIn = () => subscribers.createTokens(projectId, 'ada', { host })
  const refresh = (token: string) => subscribers.refresh(token, { host, projectId, by: null })
  const signInsOf = async (id: string) => (await storage.signIns.count(projectId, [id], nowMs)).get(id) ?? 0

  it('stand when one token is used twice at the same moment: one wins, with tokens that are good', async () => {
    const { refresh_token, subscriber_id } = await signIn()
    const both = await Promise.allSettled([refresh(refresh_token), refresh(refresh_token)])
    const won = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(won).toHaveLength(1)
    expect(await signInsOf(subscriber_id)).toBe(1)
    for (const { refresh_token: next } of won) await refresh(next)
  })

  it('end when a token is used again later', async () => {
    const { refresh_token, subscriber_id } = await signIn()
    const next = await refresh(refresh_token)
    await expect(refresh(refresh_token)).rejects.toMatchObject({ code: 'not_a_refresh_token' })
    expect(await signInsOf(subscriber_id)).toBe(0)
    await expect(refresh(next.refresh_token)).rejects.toMatchObject({ code: 'not_a_refresh_token' })
  })

  it('are forgotten with the next one, once they have expired', async () => {
    const { subscriber_id } = await signIn()
    await signIn()
    expect(await signInsOf(subscriber_id)).toBe(2)
    nowMs += 3 * HOUR_MS
    await signIn()
    expect((await storage.signIns.count(projectId, [subscriber_id], 0)).get(subscriber_id)).toBe(1)
  })

  it('go with the project', async () => {
    const { subscriber_id } = await signIn()
    await storage.projects.delete(projectId)
    expect(await signInsOf(subscriber_id)).toBe(0)
  })
})
