import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleMember, sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { type TemporaryCluster, temporaryCluster } from '../../testing/temporary-cluster.ts'
import { openStorage } from '../open-storage.ts'
import type { Storage } from '../storage.ts'
import { WaitingPool } from './waiting-pool.ts'

let cluster: TemporaryCluster
let url: string
let storage: Storage
const project_id = newId()

beforeAll(async () => {
  cluster = await temporaryCluster()
  url = await cluster.createDatabase()
  storage = await openStorage(url)
  await storage.projects.insert({ id: project_id, name: 'p', created_at: 1 })
}, 60_000)

afterAll(async () => {
  await storage.close()
  await cluster.remove()
})

describe('a database that cannot be used', () => {
  it.each([
    [
      'postgres://ada:hunter2@127.0.0.1:1/meetings',
      'ada@127.0.0.1:1/meetings cannot be used: nothing listens',
    ],
    [
      'postgres://ada:hunter2@no-such-host.invalid/x',
      'ada@no-such-host.invalid/x cannot be used: there is no',
    ],
    [
      'postgres://ada:hunter2@localhost/x?host=/no/such/folder',
      'ada@/no/such/folder/x cannot be used: there is no such',
    ],
  ])('is named without its password: %s', async (bad, message) => {
    const pool = new WaitingPool(new pg.Pool({ connectionString: bad }), bad, 'select 1', 300)
    const error = await pool.connect().catch((reason: Error) => reason)
    expect((error as Error).name).toBe('DatabaseUnreachable')
    expect((error as Error).message).toContain(message)
    expect((error as Error).message).not.toContain('hunter2')
    await pool.end()
  })

  it('is told in the words of PostgreSQL when it does not let us in', async () => {
    await expect(openStorage(url.replace(/test_\d+/, 'nowhere'))).rejects.toThrow(
      /database "nowhere" does not/,
    )
    await expect(openStorage(url.replace('parley@', 'eve:hunter2@'))).rejects.toThrow(
      /role "eve" does not exist/,
    )
  })
})

it('is written to again after PostgreSQL was restarted, and nothing that was answered is lost', async () => {
  const written: string[] = []
  let failed = 0
  let stopped = false
  const writers = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      const room = sampleRoom({ project_id })
      await storage.rooms.insert(room).then(
        () => written.push(room.id),
        () => failed++,
      )
    }
  })
  await expect.poll(() => written.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(20)
  await cluster.stop()
  const before = written.length
  // The database answers again after about a second.
  await cluster.start()
  await expect.poll(() => written.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + 100)
  stopped = true
  await Promise.all(writers)
  // Queries that were under way when the database went down have failed. The others have waited.
  expect(failed).toBeLessThanOrEqual(8)
  for (const id of written) expect(await storage.rooms.find(project_id, id)).toBeDefined()
}, 60_000)

it('keeps no connection that was cut before it had its settings', async () => {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  const broken = new WaitingPool(pool, url, 'select pg_terminate_backend(pg_backend_pid())', 300)
  await expect(broken.connect()).rejects.toThrow(/cannot be used/)
  expect(pool.totalCount).toBe(0)
  await broken.end()
})

it('survives that a connection is cut in the middle of a transaction', async () => {
  const room = sampleRoom({ project_id })
  const attempt = storage.transaction(async (tx) => {
    await tx.rooms.insert(room)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    const idle = "from pg_stat_activity where state like 'idle in%'"
    await other.query(`select pg_terminate_backend(pid) ${idle}`)
    await expect.poll(async () => (await other.query(`select pid ${idle}`)).rows).toEqual([])
    await other.end()
    await tx.rooms.update(project_id, room.id, { updated_at: 1 })
  })
  await expect(attempt).rejects.toThrow()
  expect(await storage.rooms.find(project_id, room.id)).toBeUndefined()
})

it('takes texts that PostgreSQL cannot hold', async () => {
  const session = sampleSession({ project_id, name: 'odd', meta: { 'a\0': '\0' } })
  await storage.sessions.insert(session)
  const member = sampleMember({ project_id, room_session_id: session.id, name: 'a\0b\ud800' })
  await storage.members.insert(member)
  const { rows } = await storage.members.list(project_id, session.id, { limit: 1 })
  expect(rows).toEqual([{ ...member, name: 'a\ufffdb\ufffd' }])
  expect((await storage.sessions.find(project_id, session.id))?.meta).toEqual({ 'a\0': '\0' })
  expect((await storage.sessions.list(project_id, { roomNameMatches: '\0' }, { limit: 5 })).rows).toEqual([])
})
