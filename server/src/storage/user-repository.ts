import { columns } from './columns.ts'
import type { UserRepository } from './interfaces/people.ts'
import type { UserRecord } from './records.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const userColumns = columns<UserRecord>({})

/** Users in the database. */
export function userRepository(db: Database): UserRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('users').selectAll().where('project_id', '=', projectId)
  return {
    async insert(user) {
      const insertion = db.insertInto('users').values(userColumns.toRow(user))
      await refusingDuplicates(insertion.execute(), `user ${user.name} exists`)
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && userColumns.fromRow(row)
    },
    async findByName(nameKey, limit) {
      const named = db.selectFrom('users').selectAll().where('name_key', '=', nameKey)
      const rows = await named.orderBy('created_at').orderBy('id').limit(limit).execute()
      return rows.map(userColumns.fromRow)
    },
    async findByIdentity(projectId, identity) {
      const row = await ofProject(projectId).where('identity', '=', identity).executeTakeFirst()
      return row && userColumns.fromRow(row)
    },
    async list(projectId, limit) {
      const rows = await ofProject(projectId).orderBy('created_at').orderBy('id').limit(limit).execute()
      return rows.map(userColumns.fromRow)
    },
    async count(projectId) {
      const counting = db.selectFrom('users').where('project_id', '=', projectId)
      const { count } = await counting
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    },
    async holdOwners(projectId) {
      // The row of the project is the lock: two who remove one owner each take turns.
      const lock = db.updateTable('projects').set(({ ref }) => ({ name: ref('name') }))
      await lock.where('id', '=', projectId).execute()
      const rows = await ofProject(projectId).where('role', '=', 'owner').orderBy('created_at').execute()
      return rows.map(userColumns.fromRow)
    },
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('users')
        .set(userColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && userColumns.fromRow(row)
    },
    async delete(projectId, id) {
      const deletion = db.deleteFrom('users').where('project_id', '=', projectId).where('id', '=', id)
      return (await deletion.executeTakeFirst()).numDeletedRows > 0n
    },
  }
}
