import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase, openStorage } from './open-storage.ts'
import type { Database } from './tables.ts'
import { type DatabaseServer, databaseKinds } from './test-databases.ts'

describe.each(databaseKinds)('migrations in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let location: string

  beforeAll(async () => {
    server = await startServer()
  }, 60_000)
  beforeAll(async () => {
    location = await server.emptyDatabase()
  })
  afterAll(() => server.remove())

  const tables = async (db: Database) => (await db.introspection.getTables()).map((table) => table.name)

  it('keep everything when the server starts again', async () => {
    const first = await openStorage(location)
    await first.projects.insert({ id: 'p', name: 'p', created_at: 1 })
    await first.close()
    const second = await openStorage(location)
    expect(await second.projects.list()).toEqual([{ id: 'p', name: 'p', created_at: 1 }])
    await second.close()
  })

  it('are taken once when two start at the same time', async () => {
    const empty = await server.emptyDatabase()
    const both = await Promise.all([openStorage(empty), openStorage(empty)])
    for (const storage of both) {
      expect(await storage.projects.list()).toEqual([])
      await storage.close()
    }
  })

  it('refuse a database that is newer than the server', async () => {
    const db = openDatabase(location)
    await migrate(db, { ...migrations, '9999-from-the-future': { up: async () => {} } })
    await db.destroy()
    await expect(openStorage(location)).rejects.toThrow(/newer version.*9999-from-the-future/)
  })

  it('leave nothing of a step that failed', async () => {
    const db = openDatabase(await server.emptyDatabase())
    const broken = {
      '0001-broken': {
        up: async (step: Database) => {
          await step.schema.createTable('half').addColumn('id', 'text').execute()
          throw new Error('power cut')
        },
      },
    }
    await expect(migrate(db, broken)).rejects.toThrow('power cut')
    expect(await tables(db)).not.toContain('half')
    await migrate(db)
    expect(await tables(db)).toContain('rooms')
    await db.destroy()
  })

  it('make tables that compare texts byte by byte', async () => {
    const db = openDatabase(await server.emptyDatabase())
    await migrate(db)
    for (const name of ['b', 'B', 'a-b', 'ab', 'Z', 'ä']) {
      await db.insertInto('projects').values({ id: name, name, created_at: 0 }).execute()
    }
    const { rows } = await sql<{ name: string }>`select name from projects order by name`.execute(db)
    expect(rows.map((row) => row.name)).toEqual(['B', 'Z', 'a-b', 'ab', 'b', 'ä'])
    await db.destroy()
  })
})
