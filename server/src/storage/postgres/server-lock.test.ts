import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TemporaryCluster, temporaryCluster } from '../../testing/temporary-cluster.ts'
import { openStorage } from '../open-storage.ts'
import { holdDatabase } from './server-lock.ts'

let cluster: TemporaryCluster
let url: string
beforeAll(async () => {
  cluster = await temporaryCluster()
  url = await cluster.createDatabase()
}, 60_000)
afterAll(() => cluster.remove())

async function locks(): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(`select 1 from pg_locks where locktype = 'advisory' and granted`)
  await client.end()
  return rows.length
}

it('is held by one server at a time, in each database', async () => {
  const first = await holdDatabase(url)
  await expect(holdDatabase(url)).rejects.toThrow(/another server is using it/)
  const other = await holdDatabase(await cluster.createDatabase())
  await other.release()
  // A restarted server need not wait until the previous one is completely gone.
  setTimeout(() => void first.release(), 300)
  const second = await holdDatabase(url)
  await second.release()
})

it('is held again after PostgreSQL was restarted', async () => {
  const held = await holdDatabase(url)
  await cluster.stop()
  await cluster.start()
  await expect.poll(locks, { timeout: 15_000 }).toBeGreaterThan(0)
  await expect(holdDatabase(url)).rejects.toThrow(/another server is using it/)
  await held.release()
  await expect.poll(locks, { timeout: 10_000 }).toBe(0)
}, 30_000)

it('is shared by the nodes of a cluster, and by nobody else', async () => {
  const shared = await cluster.createDatabase()
  const nodes = await Promise.all([holdDatabase(shared, 'with-others'), holdDatabase(shared, 'with-others')])
  await expect(holdDatabase(shared)).rejects.toThrow(/another server is using it/)
  for (const node of nodes) await node.release()
  const alone = await holdDatabase(shared)
  await expect(holdDatabase(shared, 'with-others')).rejects.toThrow(/give all of them PARLEY_NATS_URL/)
  await alone.release()
}, 30_000)

it('may be brought up to date by several servers at once', async () => {
  const empty = await cluster.createDatabase()
  const opened = await Promise.all([1, 2, 3, 4].map(() => openStorage(empty)))
  expect(await opened[0]?.projects.list()).toEqual([])
  for (const storage of opened) await storage.close()
}, 30_000)
