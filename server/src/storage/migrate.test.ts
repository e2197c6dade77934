import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase, openStorage } from './open-storage.ts'
import type { Database } from './tables.ts'

describe.each(databaseKinds)('migrations in $kind', ({ kind, startServer }) => {
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
    expect(await second.projects.list()).toEqual([
      {
        id: 'p',
        name: 'p',
        space: null,
        subscriber_rooms: null,
        recording_retention_days: null,
        recording_quota_bytes: null,
        created_at: 1,
      },
    ])
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
    const db = await openDatabase(location)
    await migrate(db, { ...migrations, '9999-from-the-future': { up: async () => {} } })
    await db.destroy()
    await expect(openStorage(location)).rejects.toThrow(/newer version.*9999-from-the-future/)
  })

  it('leave nothing of a step that failed', async () => {
    const db = await openDatabase(await server.emptyDatabase())
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

  it('make an index for every reference, so that nothing is searched for what is deleted', async () => {
    const db = await openDatabase(await server.emptyDatabase())
    await migrate(db)
    expect(await referencesWithoutIndex(db, kind)).toEqual([])
    await sql`create table child (id integer primary key, parent text references projects (id))`.execute(db)
    await sql`create index not_of_all on child (parent) where id > 5`.execute(db)
    expect(await referencesWithoutIndex(db, kind)).toEqual([{ child: 'child', reference: 'parent' }])
    await db.destroy()
  })

  it('make tables that compare texts byte by byte', async () => {
    const db = await openDatabase(await server.emptyDatabase())
    await migrate(db)
    for (const name of ['b', 'B', 'a-b', 'ab', 'Z', 'ä']) {
      await db.insertInto('projects').values({ id: name, name, created_at: 0 }).execute()
    }
    const { rows } = await sql<{ name: string }>`select name from projects order by name`.execute(db)
    expect(rows.map((row) => row.name)).toEqual(['B', 'Z', 'a-b', 'ab', 'b', 'ä'])
    await db.destroy()
  })
})

/** Columns that refer to another table, and that no index over all rows begins with. */
async function referencesWithoutIndex(db: Database, kind: string): Promise<unknown[]> {
  const sqlite = sql`
    select child.name as child, key."from" as reference
    from sqlite_master child, pragma_foreign_key_list(child.name) key
    where child.type = 'table' and not exists (
      select 1 from pragma_index_list(child.name) list, pragma_index_info(list.name) info
      where list.partial = 0 and info.seqno = 0 and info.name = key."from")`
  const postgres = sql`
    select child.relname as child, reference.attname as reference
    from pg_constraint key
    join pg_class child on child.oid = key.conrelid
    join pg_attribute reference on reference.attrelid = child.oid and reference.attnum = key.conkey[1]
    where key.contype = 'f' and not exists (
      select 1 from pg_index list
      where list.indrelid = child.oid and list.indpred is null and list.indkey[0] = reference.attnum)`
  return (await (kind === 'SQLite' ? sqlite : postgres).execute(db)).rows
}
