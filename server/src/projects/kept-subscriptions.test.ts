import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { ManualClock } from '../testing/simulation/manual-clock.ts'
import { createKeptSubscriptions, type KeptSubscriptions } from './kept-subscriptions.ts'

const HOUR_MS = 60 * 60 * 1000
let folder: string
let storage: Storage
let clock: ManualClock
let kept: KeptSubscriptions

const start = () => createKeptSubscriptions({ storage, clock, log: pino({ level: 'silent' }) })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-kept-'))
  storage = await openStorage(join(folder, 'parley.db'))
  await storage.projects.insert({ id: 'p', name: 'p', created_at: 1 })
  clock = new ManualClock(() => Promise.resolve())
  kept = start()
})
afterEach(async () => {
  await kept.stop()
  await storage.close()
  rmSync(folder, { recursive: true })
})

const ada = { projectId: 'p', protocol: 'a', owner: 'ada' }

it('keeps what was asked for last, for its owner alone', async () => {
  kept.keep({ ...ada, subscriptions: { x: ['message'] } })
  kept.keep({ ...ada, subscriptions: { x: ['message', 'member.joined'], y: [] } })
  await kept.stop()
  kept = start()
  expect(await kept.find(ada)).toEqual({ x: ['message', 'member.joined'], y: [] })
  expect(await kept.find({ ...ada, owner: 'eve' })).toBeUndefined()
  expect(await kept.find({ ...ada, projectId: 'q' })).toBeUndefined()
  expect(await kept.find({ ...ada, protocol: 'b' })).toBeUndefined()
  kept.forget(ada)
  expect(await kept.find(ada)).toBeUndefined()
})

it('keeps what belongs to clients that are here, and for an hour that of those who are gone', async () => {
  const bob = { projectId: 'p', protocol: 'b', owner: 'bob' }
  for (const client of [ada, bob]) kept.keep({ ...client, subscriptions: { x: [] } })
  await clock.advance(HOUR_MS - 1)
  kept.release(bob)
  await clock.advance(HOUR_MS - 10 * 60_000)
  expect(await kept.find(bob)).toBeDefined()
  await clock.advance(20 * 60_000)
  await kept.stop()
  expect(await kept.find(ada)).toBeDefined()
  expect(await kept.find(bob)).toBeUndefined()
})

it('deletes what nobody came back for after a start', async () => {
  const bob = { projectId: 'p', protocol: 'b', owner: 'bob' }
  for (const client of [ada, bob]) kept.keep({ ...client, subscriptions: { x: [] } })
  await kept.stop()
  await clock.advance(1000)
  kept = start()
  kept.keep({ ...ada, subscriptions: { x: [] } })
  await clock.advance(HOUR_MS + 10 * 60_000)
  await kept.stop()
  expect(await kept.find(ada)).toBeDefined()
  expect(await kept.find(bob)).toBeUndefined()
})

it('leaves alone what belongs to clients of another server', async () => {
  const other = start()
  kept.keep({ ...ada, subscriptions: { x: [] } })
  await clock.advance(HOUR_MS)
  other.keep({ projectId: 'p', protocol: 'b', owner: 'bob', subscriptions: {} })
  await clock.advance(2 * HOUR_MS)
  expect(await kept.find(ada)).toBeDefined()
  // It came to the other server: what its first one forgets must not be deleted there.
  kept.release(ada)
  other.keep({ ...ada, subscriptions: { y: [] } })
  await clock.advance(2 * HOUR_MS)
  expect(await other.find(ada)).toEqual({ y: [] })
  await other.stop()
})
