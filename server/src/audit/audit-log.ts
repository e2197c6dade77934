import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { AuditRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** The audit log, as the owners of a project read it. */
export interface AuditLog {
  /** Newest first. */
  listOfProject(projectId: string, request: ListRequest): Promise<ListPage<AuditRecord>>
}

/** Creates {@link AuditLog}. */
export const createAuditLog = ({ storage }: { storage: Pick<Storage, 'audit'> }): AuditLog => ({
  listOfProject: (projectId, request) => storage.audit.listOfProject(projectId, request),
})
