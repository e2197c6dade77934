import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStorage } from '../open-storage.ts'
import { sampleRoom } from '../sample-records.ts'
import { Connection } from './connection.ts'
import { SharedView } from './shared-view.ts'

let folder: string
let writer: Connection
let view: SharedView
const count = () => (view.run('select count(*) as n from t', []).rows[0] as { n: number }).n

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-view-'))
  writer = new Connection(join(folder, 'a.db'), 'write')
  writer.run('create table t (x)')
  view = new SharedView(new Connection(join(folder, 'a.db'), 'read'))
})
afterEach(() => {
  view.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

it('is one view until the turn is over', async () => {
  expect(count()).toBe(0)
  writer.run('insert into t values (1)')
  expect(count()).toBe(0)
  await nextTurn()
  expect(count()).toBe(1)
})

it('ends when it is told to', () => {
  expect(count()).toBe(0)
  writer.run('insert into t values (1)')
  view.end()
  expect(count()).toBe(1)
  view.end()
  view.end()
})

it('has another version after each change of another connection, and no other without', async () => {
  const before = view.version()
  await nextTurn()
  expect(view.version()).toBe(before)
  writer.run('insert into t values (1)')
  expect(view.version()).toBe(before)
  await nextTurn()
  expect(view.version()).not.toBe(before)
})

it('outlives a read that fails', () => {
  expect(() => view.run('select * from nowhere', [])).toThrow('no such table')
  expect(count()).toBe(0)
})

it('never keeps a written row from who wrote it', async () => {
  const storage = await openStorage(join(folder, 'b.db'))
  await storage.projects.insert({ id: 'p', name: 'p', created_at: 1 })
  const readers = { stop: false }
  const reading = (async () => {
    for (; !readers.stop; await nextTurn()) await storage.rooms.find('p', 'x')
  })()
  const write = async () => {
    for (let i = 0; i < 200; i++) {
      // A view is open when the write is answered.
      const room = sampleRoom({ project_id: 'p' })
      const written = storage.rooms.insert(room)
      await storage.rooms.find('p', room.id)
      await written
      expect(await storage.rooms.find('p', room.id)).toEqual(room)
    }
  }
  await Promise.all(Array.from({ length: 8 }, write))
  readers.stop = true
  await reading
  await storage.close()
})
