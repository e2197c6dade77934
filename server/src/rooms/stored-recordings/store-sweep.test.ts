import { existsSync } from 'node:fs'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { newId } from '../../ids.ts'
import type { ObjectStore } from '../../object-store/object-store.ts'
import { openStore } from '../../object-store/open-store.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { ObjectStoreServer } from '../../testing/object-store-server.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { StoreSweep } from './store-sweep.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

const DAY_MS = 24 * 60 * 60_000
const project_id = newId()
let server: ObjectStoreServer
let store: ObjectStore
let storage: Storage
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-sweep-'))
  server = await ObjectStoreServer.start()
  store = (await openStore(readConfig(server.env)))!
  storage = await openStorage(join(folder, 'parley.db'))
  await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
})
afterAll(async () => {
  store.close()
  await storage.close()
  await server.stop()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  for (const key of await keys('')) await store.remove(key)
})

async function keys(prefix = 'recordings/'): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list(prefix)) found.push(key)
  return found
}

/** @param days how much later it is */
const sweep = (days = 2, owner = 'us', swept = store) => {
  const clock = { ...systemClock, now: () => Date.now() + days * DAY_MS }
  const log = pino({ level: 'silent' })
  return new StoreSweep({ store: swept, storage, clock, log, folder, owner }).sweep()
}
async function add(place: RecordingRecord['place']): Promise<RecordingRecord> {
  const id = newId()
  const fields = { id, file: `${id}.mp4`, place, stored_at: Date.now() }
  const recording = sampleRecording({ project_id, room_session_id: newId(), ...fields })
  await storage.recordings.insert(recording)
  return recording
}
const put = (key: string) => store.put(key, Buffer.from('x'), 'video/mp4')

test('objects that no recording needs go after a day, and no others', async () => {
  const kept = await add('store')
  const running = await add('sending')
  const orphan = newId()
  const needed = [
    `recordings/${kept.id}.mp4`,
    `recordings/${running.id}/000000000000000`,
    'recordings/notes.txt',
  ]
  const unneeded = [
    `recordings/${kept.id}/000000000000000`,
    `recordings/${orphan}.mp4`,
    `recordings/${orphan}.webp`,
  ]
  for (const key of [...needed, ...unneeded]) await put(key)
  expect(await sweep(0.9)).toEqual({ removed: 0, lost: 0 })
  expect(await sweep()).toEqual({ removed: 3, lost: 0 })
  expect(await keys()).toEqual(needed.sort())
})

/** The store, but for how it removes. */
const storeThatRemoves = (remove: ObjectStore['remove']): ObjectStore =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'remove') return remove
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

test('an object that the store does not let go holds up no other', async () => {
  const unneeded = Array.from({ length: 3 }, () => `recordings/${newId()}.mp4`).sort()
  for (const key of unneeded) await put(key)
  const locking = storeThatRemoves(async (key) => {
    if (key === unneeded[0]) throw new Error('AccessDenied: the object is locked')
    await store.remove(key)
  })
  expect(await sweep(2, 'us', locking)).toMatchObject({ removed: 2 })
  expect(await keys()).toEqual([unneeded[0]])
})

test('nothing is swept any more once the store is away', async () => {
  await put(`recordings/${newId()}.mp4`)
  const goingAway = storeThatRemoves(async () => {
    await server.kill()
    throw new Error('the connection was reset')
  })
  await expect(sweep(2, 'us', goingAway)).rejects.toThrow('ECONNREFUSED')
  await server.run()
})

test('a recording whose object is gone is marked as lost once, and found again', async () => {
  const recording = await add('store')
  const place = async () => (await storage.recordings.find(project_id, recording.id))?.place
  expect((await sweep()).lost).toBeGreaterThan(0)
  await sweep()
  expect(await place()).toBe('lost')
  const { rows } = await storage.events.list(project_id, { recordingId: recording.id }, { limit: 10 })
  expect(rows.map(({ name }) => name)).toEqual(['recording.lost'])
  await put(`recordings/${recording.id}.mp4`)
  await sweep()
  expect(await place()).toBe('store')
})

test('files that a killed server left on the disk go after a day', async () => {
  const [sent, unsent] = [await add('store'), await add('sending')]
  for (const { file } of [sent, unsent]) {
    await writeFile(join(folder, file), 'x')
    await utimes(join(folder, file), 1, 1)
  }
  await sweep()
  expect([sent, unsent].map(({ file }) => existsSync(join(folder, file)))).toEqual([false, true])
})

test('nothing is removed from the store of another installation, or by a database that knows few of its objects', async () => {
  const strangers = Array.from({ length: 12 }, () => `recordings/${newId()}.mp4`)
  for (const key of strangers) await put(key)
  await expect(sweep()).rejects.toThrow('knows 0 of the recordings in the store, and not 12')
  await expect(sweep(2, 'others')).rejects.toThrow('those of installation us')
  expect(await keys()).toHaveLength(12)
})
