import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TemporaryCluster, temporaryCluster } from '../../testing/temporary-cluster.ts'
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
