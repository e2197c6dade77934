import type { SharedFactRepository } from './interfaces/projects.ts'
import type { Database } from './tables.ts'

/** Facts on which all servers of a database agree, in the database. */
export function sharedFactRepository(db: Database): SharedFactRepository {
  return {
    async hold(name) {
      // Unlike doing nothing on a conflict, a change locks the row.
      await db
        .insertInto('shared_facts')
        .values({ name, value: '' })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '' }))
        .execute()
    },
    async agree(name, value) {
      await db
        .insertInto('shared_facts')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const stored = db.selectFrom('shared_facts').select('value').where('name', '=', name)
      return (await stored.executeTakeFirstOrThrow()).value
    },
  }
}
