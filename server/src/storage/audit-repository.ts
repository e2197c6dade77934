import { columns } from './columns.ts'
import type { AuditRepository } from './interfaces/projects.ts'
import { readPage } from './keyset.ts'
import type { AuditRecord } from './records.ts'
import type { Database } from './tables.ts'

const auditColumns = columns<AuditRecord>({ details: 'json' })

/** The audit log in the database. Entries are written and read, never changed. */
export function auditRepository(db: Database): AuditRepository {
  return {
    async append(entry) {
      await db.insertInto('audit_entries').values(auditColumns.toRow(entry)).execute()
    },
    async list({ projectId, since, until }, limit) {
      let query = db.selectFrom('audit_entries').selectAll()
      if (projectId !== undefined) query = query.where('about_project', '=', projectId)
      if (since !== undefined) query = query.where('created_at', '>=', since)
      if (until !== undefined) query = query.where('created_at', '<=', until)
      const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
      return rows.map(auditColumns.fromRow)
    },
    async listOfProject(projectId, request) {
      const query = db.selectFrom('audit_entries').selectAll().where('about_project', '=', projectId)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(auditColumns.fromRow) }
    },
  }
}
