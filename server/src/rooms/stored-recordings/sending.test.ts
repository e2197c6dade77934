import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Clock, systemClock } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import { newId } from '../../ids.ts'
import { repairRecording } from '../../media-worker/outputs/repair.ts'
import type { ObjectStore } from '../../object-store/object-store.ts'
import { openStore } from '../../object-store/open-store.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { probe } from '../../testing/media/recorded-file.ts'
import { makeColourFile } from '../../testing/media/sample-files.ts'
import { ObjectStoreServer } from '../../testing/object-store-server.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../../testing/test-databases.ts'
import type { Posters } from '../posters.ts'
import { GrowingFile } from './growing-file.ts'
import { RecordingFragments } from './recording-fragments.ts'
import { Sending } from './sending.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

const log = pino({ level: 'silent' })
const clock = systemClock

let server: ObjectStoreServer
let store: ObjectStore
let folder: string
/** A recording as it grows: six seconds in fragments, without an index. */
let grown: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-sending-'))
  grown = join(folder, 'grown')
  server = await ObjectStoreServer.start()
  store = (await openStore(readConfig(server.env)))!
  const args = ['-f', 'mp4', '-movflags', 'empty_moov+default_base_moof', '-frag_duration', '500000']
  await makeColourFile(grown, { args })
})
afterAll(async () => {
  store.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

const fragments = () => new RecordingFragments({ store, clock, log, folder })

async function keys(): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list('recordings/')) found.push(key)
  return found
}

/** A clock whose timers run when the test says so. */
function handClock() {
  const due: (() => void)[] = []
  const after: Clock['after'] = (_delayMs, callback) => {
    due.push(callback)
    return { cancel: () => {} }
  }
  return { clock: { ...systemClock, after }, due }
}

describe.each(databaseKinds)('recordings to be stored, in $kind', ({ startServer }) => {
  let databases: DatabaseServer
  let storage: Storage
  const project_id = newId()

  beforeAll(async () => {
    databases = await startServer()
    storage = await openStorage(await databases.emptyDatabase())
    await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
  })
  afterAll(async () => {
    await storage.close()
    await databases.remove()
  })
  beforeEach(async () => {
    for (const key of await keys()) await store.remove(key)
  })

  async function add(fields: Partial<RecordingRecord> = {}): Promise<RecordingRecord> {
    const id = newId()
    const given = { id, file: `${id}.mp4`, place: 'sending', ...fields } as const
    const recording = sampleRecording({ project_id, room_session_id: newId(), ...given })
    await storage.recordings.insert(recording)
    return recording
  }
  const sending = (posters: Pick<Posters, 'of'> = { of: async () => null }, to = store) => {
    return new Sending({
      store: to,
      storage,
      fragments: fragments(),
      posters,
      repair: repairRecording,
      clock,
      log,
      folder,
    })
  }
  const find = async ({ id }: RecordingRecord) => (await storage.recordings.find(project_id, id))!

  test('a recording goes to the store with its checksum, and off the disk', async () => {
    const recording = await add()
    const path = join(folder, recording.file)
    await copyFile(grown, path)
    await store.put(`recordings/${recording.id}/000000000000000`, Buffer.from('a fragment'), 'video/mp4')
    expect(await sending().sendAll()).toBe(true)
    const content = await readFile(grown)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(await find(recording)).toMatchObject({ place: 'store', sha256, size_in_bytes: content.length })
    expect(existsSync(path)).toBe(false)
    expect(await keys()).toEqual([`recordings/${recording.file}`])
  })

  test('those that run, that are on the disk to stay, and whose file is elsewhere are left alone', async () => {
    const others = [await add({ status: 'recording' }), await add({ place: 'disk' }), await add()]
    expect(await sending().sendAll()).toBe(true)
    expect((await Promise.all(others.map(find))).map(({ place }) => place)).toEqual([
      'sending',
      'disk',
      'sending',
    ])
    for (const { id } of others) await storage.recordings.delete(project_id, id)
  })

  test('a store that is away keeps them on the disk, and later takes them in order', async () => {
    const older = await add({ created_at: 1 })
    const newer = await add({ created_at: 2 })
    for (const { file } of [newer, older]) await copyFile(grown, join(folder, file))
    await server.kill()
    expect(await sending().sendAll()).toBe(false)
    expect(existsSync(join(folder, older.file))).toBe(true)
    await server.run()
    expect(await sending().sendAll()).toBe(true)
    const [first, second] = [await find(older), await find(newer)]
    expect([first.place, second.place]).toEqual(['store', 'store'])
    expect(first.stored_at).toBeLessThanOrEqual(second.stored_at ?? 0)
  })

  test('those that cannot be read do not hold up those after them', async () => {
    const all: RecordingRecord[] = []
    for (const created_at of [1, 2, 3, 4, 5, 6]) all.push(await add({ created_at }))
    for (const { file } of all) await copyFile(grown, join(folder, file))
    const broken = {
      of: async ({ created_at }: RecordingRecord) => {
        if (created_at < 5) throw new Error('EIO: i/o error, read')
        return null
      },
    }
    const places = async () => (await Promise.all(all.map(find))).map(({ place }) => place)
    const remove = async () => {
      throw new Error('AccessDenied: nobody may remove anything')
    }
    const lettingNothingGo = { ...bound(store, store), remove }
    expect(await sending(broken, lettingNothingGo).sendAll()).toBe(false)
    expect(await places()).toEqual([...Array(4).fill('sending'), 'store', 'store'])
    expect(await sending().sendAll()).toBe(true)
    expect(await places()).toEqual(Array(6).fill('store'))
  })

  test('a recording that is deleted while it is sent leaves no object', async () => {
    const recording = await add()
    await copyFile(grown, join(folder, recording.file))
    const putFile: ObjectStore['putFile'] = async (...args) => {
      await storage.recordings.delete(project_id, recording.id)
      return store.putFile(...args)
    }
    const posters = { of: async () => null }
    const parts = { storage, fragments: fragments(), posters, repair: repairRecording, clock, log, folder }
    const wrapped = Object.assign(Object.create(store) as ObjectStore, { putFile })
    await new Sending({ ...parts, store: bound(wrapped, store) }).send(recording)
    expect(await keys()).toEqual([])
  })

  test('a disk that was lost before the file was sent is made up for by the fragments', async () => {
    const recording = await add({ finished_at: Date.now() - 2 * 60 * 60_000 })
    await store.put(`recordings/${recording.id}/000000000000000`, await readFile(grown), 'video/mp4')
    expect(await sending().sendAll()).toBe(true)
    const stored = await find(recording)
    expect(stored.place).toBe('store')
    expect(stored.duration_ms).toBeGreaterThan(5900)
    expect(await keys()).toEqual([`recordings/${recording.file}`])
  })
})

/** `over` in front of a store whose methods use private fields. */
const bound = (over: ObjectStore, of: ObjectStore): ObjectStore => ({
  place: of.place,
  linkOrigin: of.linkOrigin,
  put: of.put.bind(of),
  putFile: over.putFile.bind(over),
  get: of.get.bind(of),
  size: of.size.bind(of),
  list: of.list.bind(of),
  remove: of.remove.bind(of),
  link: of.link.bind(of),
  dropUnfinished: of.dropUnfinished.bind(of),
  close: () => {},
})

test('a file that grows is whole again from its fragments, as far as they go', async () => {
  const content = await readFile(grown)
  const { clock: hand, due } = handClock()
  const path = join(folder, 'growing.mp4')
  const growing = new GrowingFile({ store, clock: hand, log, path, file: 'growing.mp4' })
  const handle = await open(path, 'w')
  // Cut anywhere, also in the middle of a box.
  const ends = [10, 5000, Math.floor(content.length / 2), content.length - 3]
  let from = 0
  for (const to of ends) {
    await handle.write(content, from, to - from, from)
    from = to
    due.shift()?.()
    await vi.waitFor(() => expect(due).toHaveLength(1))
  }
  await handle.close()
  await growing.stop()
  await rm(path)
  expect(await fragments().bringBack('growing.mp4')).toBe(true)
  expect(content.subarray(0, -3).equals(await readFile(path))).toBe(true)
  const repaired = await repairRecording(path)
  expect(repaired?.durationMs).toBeGreaterThan(5000)
  expect(Number((await probe(path)).format.duration)).toBeGreaterThan(5)
})

test('while the store is away nothing is lost of a file that grows', async () => {
  const { clock: hand, due } = handClock()
  const path = join(folder, 'away.mp4')
  const growing = new GrowingFile({ store, clock: hand, log, path, file: 'away.mp4' })
  const round = async () => {
    due.shift()?.()
    await vi.waitFor(() => expect(due).toHaveLength(1))
  }
  await writeFile(path, 'one ')
  await round()
  await server.kill()
  await writeFile(path, 'two ', { flag: 'a' })
  await round()
  await server.run()
  await writeFile(path, 'three', { flag: 'a' })
  await round()
  await growing.stop()
  await rm(path)
  expect(await fragments().bringBack('away.mp4')).toBe(true)
  expect(String(await readFile(path))).toBe('one two three')
})

test('what follows a fragment that is missing is not taken for what came before', async () => {
  await store.put('recordings/gap/000000000000000', Buffer.from('0123'), 'video/mp4')
  await store.put('recordings/gap/000000000000008', Buffer.from('89'), 'video/mp4')
  expect(await fragments().bringBack('gap.mp4')).toBe(true)
  expect((await stat(join(folder, 'gap.mp4'))).size).toBe(4)
  expect(await fragments().bringBack('never-recorded.mp4')).toBe(false)
})
