import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { compiledInsertion, compiledQuery } from './compiled-query.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-storage.ts'
import { repositories } from './repositories.ts'
import type { Database } from './tables.ts'

describe.each(databaseKinds)('a query that is compiled once, in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let db: Database
  beforeAll(async () => {
    server = await startServer()
    db = await openDatabase(await server.emptyDatabase())
    await migrate(db)
    for (const id of ['a', 'b'])
      await repositories(db).projects.insert({ id, name: `name ${id}`, created_at: 1 })
  }, 60_000)
  afterAll(async () => {
    await db.destroy()
    await server.remove()
  })

  const find = compiledQuery((on, id: string, name: string) =>
    on.selectFrom('projects').select('id').where('id', '=', id).where('name', '=', name),
  )

  it('takes other parameters each time, in transactions too', async () => {
    expect(await find(db, 'a', 'name a')).toEqual([{ id: 'a' }])
    expect(await find(db, 'b', 'name b')).toEqual([{ id: 'b' }])
    expect(await find(db, 'b', 'name a')).toEqual([])
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('projects').where('id', '=', 'b').execute()
      expect(await find(tx, 'b', 'name b')).toEqual([])
      expect(await find(tx, 'a', 'name a')).toEqual([{ id: 'a' }])
    })
  })

  it('inserts rows whose fields stand in any order, in transactions too', async () => {
    const insert = compiledInsertion('projects')
    await insert(db, { id: 'c', name: 'name c', space: null, created_at: 1 })
    await insert(db, { created_at: 2, space: null, name: 'name d', id: 'd' })
    await db
      .transaction()
      .execute((tx) => insert(tx, { id: 'e', name: 'name e', space: null, created_at: 3 }))
    for (const id of ['c', 'd', 'e']) expect(await find(db, id, `name ${id}`)).toEqual([{ id }])
  })
})

it('is refused when its parameters would be mixed up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-compiled-'))
  const db = await openDatabase(join(folder, 'a.db'))
  await migrate(db)
  const swapped = compiledQuery((on, id: string, name: string) =>
    on.selectFrom('projects').select('id').where('name', '=', name).where('id', '=', id),
  )
  await expect(async () => swapped(db, 'a', 'name a')).rejects.toThrow('in their order')
  const more = compiledQuery((on, id: string) =>
    on.selectFrom('projects').select('id').where('id', '=', id).limit(1),
  )
  await expect(async () => more(db, 'a')).rejects.toThrow('in their order')
  await db.destroy()
  rmSync(folder, { recursive: true })
})
