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

it('waits an hour for a client that is gone, unless it comes back', async () => {
  kept.keep({ ...ada, subscriptions: { x: [] } })
  kept.release(ada)
  await clock.advance(HOUR_MS - 1)
  expect(await kept.find(ada)).toBeDefined()
  kept.keep({ ...ada, subscriptions: { x: [] } })
  await clock.advance(HOUR_MS)
  expect(await kept.find(ada)).toBeDefined()
  kept.release(ada)
  await clock.advance(HOUR_MS)
  expect(await kept.find(ada)).toBeUndefined()
})

it('deletes what nobody came back for after a start', async () => {
  const bob = { projectId: 'p', protocol: 'b', owner: 'bob' }
  for (const client of [ada, bob]) kept.keep({ ...client, subscriptions: { x: [] } })
  await kept.stop()
  await clock.advance(1000)
  kept = start()
  kept.keep({ ...ada, subscriptions: { x: [] } })
  await clock.advance(HOUR_MS)
  await kept.stop()
  expect(await kept.find(ada)).toBeDefined()
  expect(await kept.find(bob)).toBeUndefined()
})
