import { columns } from './columns.ts'
import type { SubscriberRepository } from './interfaces/people.ts'
import { readPage } from './keyset.ts'
import { isByName } from './list-order.ts'
import type { SubscriberRecord } from './records.ts'
import type { Database } from './tables.ts'
import { refusingDuplicates } from './unique-violation.ts'

const subscriberColumns = columns<SubscriberRecord>({})

/** Subscribers in the database. */
export function subscriberRepository(db: Database): SubscriberRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('subscribers').selectAll().where('project_id', '=', projectId)
  return {
    async insert(subscriber) {
      const insertion = db.insertInto('subscribers').values(subscriberColumns.toRow(subscriber))
      await refusingDuplicates(insertion.execute(), `subscriber ${subscriber.reference} exists`)
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && subscriberColumns.fromRow(row)
    },
    async findByReference(projectId, reference) {
      const row = await ofProject(projectId).where('reference', '=', reference).executeTakeFirst()
      return row && subscriberColumns.fromRow(row)
    },
    async list(projectId, request) {
      const { order = 'newest-first' } = request
      const column = isByName(order) ? 'reference' : 'created_at'
      const page = await readPage(db, ofProject(projectId), column, order, request)
      return { ...page, rows: page.rows.map(subscriberColumns.fromRow) }
    },
  }
}
