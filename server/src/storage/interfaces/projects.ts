import type { ListPage, ListRequest } from '../list-page.ts'
import type { ApiTokenRecord, AuditRecord, KeptAnswerRecord, ProjectRecord } from '../records.ts'

export interface EmbedOriginRepository {
  /** Sorted by origin. */
  list(projectId: string): Promise<string[]>
  /** Replaces all origins of a project. Call it in a transaction. */
  replace(projectId: string, origins: readonly string[]): Promise<void>
  /** Whether one of these origins is listed: by this project, or with null by any. */
  isListed(projectId: string | null, origins: readonly string[]): Promise<boolean>
}

/** A project to insert. By default it is in no space and opens all rooms to its subscribers. */
type NewProject = Pick<ProjectRecord, 'id' | 'name' | 'created_at'> & Partial<ProjectRecord>

export interface ProjectRepository {
  /** @throws UniqueViolation when there is a project with that id */
  insert(project: NewProject): Promise<void>
  find(id: string): Promise<ProjectRecord | undefined>
  update(id: string, changes: Partial<ProjectRecord>): Promise<ProjectRecord | undefined>
  /** Oldest first. */
  list(): Promise<ProjectRecord[]>
  /** Deletes everything in a project, as {@link ProjectRepository.delete} does, but keeps the project itself. */
  empty(id: string): Promise<void>
  /**
   * Deletes a project and every row of it. It deletes in portions, so that other writes are not blocked for long. If
   * it is interrupted, the project still exists, with fewer rows.
   */
  delete(id: string): Promise<boolean>
}

export interface ApiTokenRepository {
  insert(token: ApiTokenRecord): Promise<void>
  /** Oldest first. */
  list(projectId: string): Promise<ApiTokenRecord[]>
  /**
   * A number that changes whenever any process may have changed tokens. Undefined if the database cannot tell without
   * a wait.
   */
  version(): number | undefined
  update(projectId: string, id: string, changes: Partial<ApiTokenRecord>): Promise<ApiTokenRecord | undefined>
  delete(projectId: string, id: string): Promise<boolean>
}

export interface KeptAnswerRepository {
  /** Stores an answer. It replaces an older answer to the same key. */
  put(answer: KeptAnswerRecord): Promise<void>
  find(projectId: string, key: string): Promise<KeptAnswerRecord | undefined>
  /** Deletes the answers of all projects that were stored before that time. */
  deleteBefore(time: number): Promise<void>
}

/** A request with an `Idempotency-Key`, by which it is claimed. */
export interface ClaimedRequest {
  projectId: string
  key: string
  /** Whoever claims it: unique for each claim. */
  holder: string
}

/** Which of several servers works on a request with an `Idempotency-Key`. Times are Unix milliseconds. */
export interface RunningRequestRepository {
  /**
   * Claims a request, unless somebody else has claimed it until later than `now`.
   * @returns whether it is claimed. If several callers ask at the same time, exactly one gets true.
   */
  claim(request: ClaimedRequest, now: number, until: number): Promise<boolean>
  /** Gives a claim back. Does nothing if somebody else has the request by now. */
  release(request: ClaimedRequest): Promise<void>
  /** Deletes the claims of all projects that ended before that time, because their server died. */
  deleteExpired(before: number): Promise<void>
}

/** Facts on which all servers of a database have to agree. */
export interface SharedFactRepository {
  /** Stores a fact, unless there is one of that name. @returns the stored value */
  agree(name: string, value: string): Promise<string>
  /** Inside a transaction: whoever else holds this name waits until the transaction has ended. */
  hold(name: string): Promise<void>
}

/** Filter of the audit log. Times are Unix milliseconds. */
export interface AuditFilter {
  projectId?: string | undefined
  /** The entry was written at that time or later. */
  since?: number | undefined
  /** The entry was written at that time or earlier. */
  until?: number | undefined
}

export interface AuditRepository {
  append(entry: AuditRecord): Promise<void>
  /** The newest `limit` entries, newest first. Includes all projects, unless the filter names one. */
  list(filter: AuditFilter, limit: number): Promise<AuditRecord[]>
  /** One page of the entries of a project, newest first. */
  listOfProject(projectId: string, request: ListRequest): Promise<ListPage<AuditRecord>>
}
