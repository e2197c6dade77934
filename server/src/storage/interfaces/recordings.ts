import type { ListPage, ListRequest } from '../list-page.ts'
import type { RecordingRecord, RecordingShareRecord } from '../records.ts'

/** What recordings are looked for by. Times are Unix milliseconds. */
export interface RecordingFilter {
  sessionId?: string | undefined
  /** Exact name of the room. */
  roomName?: string | undefined
  status?: RecordingRecord['status'] | undefined
  /** Asked for at that time or later. */
  since?: number | undefined
  /** Asked for before that time. */
  until?: number | undefined
}

export interface RecordingRepository {
  insert(recording: RecordingRecord): Promise<void>
  find(projectId: string, id: string): Promise<RecordingRecord | undefined>
  update(projectId: string, id: string, changes: Partial<RecordingRecord>): Promise<void>
  delete(projectId: string, id: string): Promise<boolean>
  list(projectId: string, filter: RecordingFilter, request: ListRequest): Promise<ListPage<RecordingRecord>>
  /** Recordings of all projects that are not completed. */
  listInterrupted(): Promise<RecordingRecord[]>
  /** Names of the nodes whose sessions have recordings of a project that are not completed. */
  ownersOfUnfinished(projectId: string): Promise<string[]>
  /**
   * Completed recordings of all projects that are not in the store, oldest first.
   * @param after the last one before
   * @param place `sending` for those that are to be sent, which is the default; `disk` for those that are to stay
   */
  listUnsent(
    after: { at: number; id: string } | null,
    limit: number,
    place?: 'sending' | 'disk',
  ): Promise<RecordingRecord[]>
  /** Where recordings of all projects are kept, by id. Those that do not exist are absent. */
  placesOf(ids: readonly string[]): Promise<Map<string, RecordingRecord['place']>>
  /** Recordings of all projects that are or should be in the store, by id. @param after id of the last one before, or '' */
  listStored(after: string, limit: number): Promise<RecordingRecord[]>
}

export interface RecordingShareRepository {
  insert(share: RecordingShareRecord): Promise<void>
  /** Oldest first. */
  list(projectId: string, recordingId: string): Promise<RecordingShareRecord[]>
  /** Searches all projects: the hash tells which recording it is about. */
  findByHash(hash: string): Promise<RecordingShareRecord | undefined>
  delete(projectId: string, recordingId: string, id: string): Promise<boolean>
  /** Deletes those of all projects that expired before that time. */
  deleteExpired(before: number): Promise<void>
}

/** A file whose recording was deleted. */
export interface RemovedFile {
  /** Path below the recordings folder. */
  file: string
  /** Name of the node that has it; null if nobody knows. */
  node: string | null
}

/** Files whose recordings were deleted. A file is here until it is gone. */
export interface RemovedFileRepository {
  /** Call it in the transaction that deletes the recording. */
  insert(files: readonly RemovedFile[], at: number): Promise<void>
  /**
   * In the order of their paths.
   * @param node only those that this node has or may have; null for all
   * @param after path of the last one before, or ''
   */
  list(node: string | null, after: string, limit: number): Promise<RemovedFile[]>
  delete(files: readonly string[]): Promise<void>
  /** Deletes the rows from before that time, but for those of one node. */
  forget(exceptNode: string, before: number): Promise<void>
}

/** Reads how long recordings are kept, and which are older. Days are whole numbers; 0 of a room means for ever. */
export interface RetentionRepository {
  /** For each project with a rule, of its own or of a room, the shortest number of days. */
  shortest(): Promise<Map<string, number>>
  /** The rules of those of these rooms that have one, keyed by room id. */
  ofRooms(projectId: string, roomIds: readonly string[]): Promise<Map<string, number>>
  /**
   * Recordings that were finished before that time, oldest first.
   * @param after the last one of the page before
   */
  finishedBefore(
    projectId: string,
    before: number,
    after: { at: number; id: string } | null,
    limit: number,
  ): Promise<RecordingRecord[]>
  /** How many those are: of a room, or with null of all rooms without a rule of their own. */
  countFinishedBefore(
    projectId: string,
    before: number,
    roomId: string | null,
  ): Promise<{ count: number; bytes: number }>
}
