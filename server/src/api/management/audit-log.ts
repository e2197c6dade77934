import { AuditEntry, type AuditEntry as ShownEntry } from '../../resources/audit-entry.ts'
import { formatMoment } from '../../resources/dates.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import type { AuditRecord } from '../../storage/records.ts'
import { type Operation, operation } from '../conventions/operation.ts'

/** `/audit_entries`: what administration did in the project. */
export const auditOperations: Operation[] = [
  operation(
    {
      route: 'GET /audit_entries',
      operationId: 'listAuditEntries',
      summary: 'List the audit log',
      description:
        'What administration did in the project, newest first: at the command line, with API tokens, and by users. An addition of Parley.',
      tag: 'Audit log',
      query: PagingQuery,
      answer: Page(AuditEntry),
    },
    async (request, { auditLog }) => {
      const page = await auditLog.listOfProject(request.projectId, request.listRequest)
      return request.answerPage(page, show, (entry) => entry.created_at)
    },
  ),
]

const show = ({ id, actor_kind, actor, action, target, details, created_at }: AuditRecord): ShownEntry => ({
  id,
  actor: { kind: actor_kind, name: actor },
  action,
  target,
  details,
  created_at: formatMoment(created_at),
})
