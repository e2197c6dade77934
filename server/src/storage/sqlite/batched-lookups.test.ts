import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sampleRoom } from '../../testing/sample-records.ts'
import { openStorage } from '../open-storage.ts'
import { BatchedLookups } from './batched-lookups.ts'
import { Connection } from './connection.ts'

let folder: string
let writer: Connection
let lookups: BatchedLookups
const count = async () => {
  const [row] = (await lookups.find('select count(*) as n from t', [])) as { n: number }[]
  return row?.n
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-lookups-'))
  writer = new Connection(join(folder, 'a.db'), 'write')
  writer.run('create table t (x)')
  lookups = new BatchedLookups(new Connection(join(folder, 'a.db'), 'read'))
})
afterEach(() => {
  lookups.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

it('looks up at the end of the turn, and sees what was written until then', async () => {
  const asked = [count(), count()]
  writer.run('insert into t values (1)')
  expect(await Promise.all(asked)).toEqual([1, 1])
  writer.run('insert into t values (2)')
  expect(await count()).toBe(2)
})

it('keeps no lock from one turn to the next', async () => {
  await count()
  const [{ busy }] = writer.run('pragma wal_checkpoint(truncate)').rows as [{ busy: number }]
  expect(busy).toBe(0)
})

it('tells who asked of a lookup that fails, and nobody else', async () => {
  const failing = lookups.find('select * from nowhere', [])
  const other = count()
  await expect(failing).rejects.toThrow('no such table')
  expect(await other).toBe(0)
  expect(await count()).toBe(0)
})

it('does what was asked before it is closed', async () => {
  const asked = count()
  lookups.close()
  expect(await asked).toBe(0)
  lookups = new BatchedLookups(new Connection(join(folder, 'a.db'), 'read'))
})

it('has another version after each change of another connection, and no other without', async () => {
  const before = lookups.version()
  await nextTurn()
  expect(lookups.version()).toBe(before)
  writer.run('insert into t values (1)')
  expect(lookups.version()).toBe(before)
  await nextTurn()
  const after = lookups.version()
  expect(after).not.toBe(before)
  writer.run('insert into t values (2)')
  lookups.forgetVersion()
  expect(lookups.version()).not.toBe(after)
})

it('recalls a row, also that there is none, until another connection has changed the database', async () => {
  const sql = 'select x from t where x = ?'
  const ask = async () => {
    await nextTurn()
    return lookups.recall(sql, [1])
  }
  const none = await ask()
  expect(none).toEqual([])
  expect(await ask()).toBe(none)
  writer.run('insert into t values (1)')
  const one = await ask()
  expect(one).toEqual([{ x: 1 }])
  expect(await ask()).toBe(one)
  expect(await lookups.recall(sql, ['1'])).toEqual([])
  writer.run('insert into t values (1)')
  // More than one row is not kept.
  const two = await ask()
  expect(two).toHaveLength(2)
  expect(await ask()).not.toBe(two)
  writer.run('delete from t')
  lookups.forgetVersion()
  expect(await ask()).toEqual([])
})

it('keeps no row that was read before a change that somebody else has noticed meanwhile', async () => {
  const sql = 'select count(*) as n from t where x > ?'
  const other = lookups.find('select 1', []).then(() => {
    writer.run('insert into t values (1)')
    return lookups.recall('select x from t where x > ?', [0])
  })
  const first = lookups.recall(sql, [0])
  const last = lookups.find('select 1', [])
  await Promise.all([other, first, last])
  expect(await lookups.recall(sql, [0])).toEqual([{ n: 1 }])
})

it('keeps a limited number of rows', async () => {
  const first = await lookups.recall('select ? as n', [0])
  for (let n = 1; n <= 1000; n++) await lookups.recall('select ? as n', [n])
  expect(await lookups.recall('select ? as n', [0])).not.toBe(first)
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
      // A look-up is under way when the write is answered.
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
