import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { RecurringWork } from '../../recurring-work.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Repositories, Storage } from '../../storage/storage.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionRecovery } from './session-recovery.ts'

const INTERVAL_MS = 60_000

/** A difference between storage and the running sessions. */
interface Difference {
  /** Identifies the difference. It is the same each time the difference is found. */
  key: string
  mend: () => Promise<void> | void
}

export interface ReconcilerOptions {
  storage: Storage
  clock: Clock
  log: Logger
  recovery: Pick<SessionRecovery, 'completeSession' | 'repairRecording' | 'mayRepair' | 'isOfThisNode'>
  /** All sessions that are open, or have ended and are not yet finished. */
  sessions: () => readonly LiveSession[]
}

/** A row that storage has as open. */
type OpenRow = { id: string; project_id: string; room_session_id: string }
type Kind = 'members' | 'calls' | 'streams'

/** Functions to list open rows of each kind, to close and to reopen them. */
const ROWS: {
  readonly [K in Kind]: {
    list: (storage: Repositories) => Promise<OpenRow[]>
    close: (storage: Repositories, row: OpenRow, at: number) => Promise<void>
    reopen: (storage: Repositories, row: never) => Promise<void>
  }
} = {
  members: {
    list: ({ members }) => members.listOpen(),
    close: ({ members }, { project_id, id }, at) => members.update(project_id, id, { leave_time: at }),
    reopen: ({ members }, row) => members.reopen(row),
  },
  calls: {
    list: ({ calls }) => calls.listOpen(),
    close: ({ calls }, { project_id, id }, at) => calls.end(project_id, id, at),
    reopen: ({ calls }, row) => calls.reopen(row),
  },
  streams: {
    list: ({ streamRuns }) => streamRuns.listOpen(),
    close: ({ streamRuns }, { project_id, id }, at) =>
      streamRuns.update(project_id, id, { status: 'completed', ended_at: at, updated_at: at }),
    reopen: ({ streamRuns }, row) => streamRuns.reopen(row),
  },
}
const KINDS = Object.keys(ROWS) as Kind[]

/**
 * Compares running sessions with storage every minute and repairs differences. They arise when a write was dropped
 * for lack of memory or refused for good, or when somebody else changed the row. A difference counts only if it is
 * found twice, because a write may be under way.
 */
export class SessionReconciler {
  readonly #options: ReconcilerOptions
  readonly #runs: RecurringWork

  constructor(options: ReconcilerOptions) {
    this.#options = options
    this.#runs = new RecurringWork(options, () => this.run().then(() => INTERVAL_MS))
  }

  /** Starts to compare every minute. */
  start(): void {
    this.#runs.start(INTERVAL_MS)
  }

  stop(): Promise<void> {
    return this.#runs.stop()
  }

  /** Compares once. What fails is left to the next run. */
  async run(): Promise<void> {
    try {
      const suspects = new Set((await this.#differences()).map(({ key }) => key))
      if (suspects.size === 0) return
      for (const { key, mend } of await this.#differences()) {
        if (!suspects.has(key) || this.#runs.isStopped) continue
        this.#options.log.warn({ difference: key }, 'storage differs from what runs')
        await mend()
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'storage could not be compared with what runs')
    }
  }

  async #differences(): Promise<Difference[]> {
    const { storage, sessions, recovery } = this.#options
    await Promise.all(sessions().map((session) => session.writes.flushedOrStuck()))
    const [all, recordings, ...open] = await Promise.all([
      storage.sessions.listInProgress(),
      storage.recordings.listInterrupted(),
      ...KINDS.map((kind) => ROWS[kind].list(storage)),
    ])
    // Sessions that cannot write now are known to be behind. They are skipped below.
    const live = new Map(sessions().map((session) => [session.id, session]))
    const found: Difference[] = []
    const inProgress = all.filter((record) => live.has(record.id) || recovery.isOfThisNode(record))
    // What belongs to running sessions of other nodes is theirs to mend.
    const elsewhere = new Set(all.filter((record) => !inProgress.includes(record)).map(({ id }) => id))
    const isOurs = ({ room_session_id }: { room_session_id: string }) => !elsewhere.has(room_session_id)
    for (const record of inProgress) {
      if (live.has(record.id)) continue
      found.push({
        key: `session ${record.id}`,
        mend: () => recovery.completeSession(record),
      })
    }
    const stored = new Set(inProgress.map(({ id }) => id))
    for (const session of live.values()) {
      if (!this.#isComparable(session) || session.isEnded || stored.has(session.id)) continue
      const payload = { what: 'session', id: session.id }
      found.push({
        key: `session ${session.id}`,
        mend: () => session.history.mend((tx) => session.history.restore(tx), payload),
      })
    }
    found.push(...this.#ofRecordings(recordings.filter(isOurs), live))
    for (const [index, kind] of KINDS.entries()) {
      found.push(...this.#ofRows(kind, (open[index] ?? []).filter(isOurs), live))
    }
    return found
  }

  #isComparable(session: LiveSession): boolean {
    return session.isStarted && !session.writes.isStuck
  }

  #ofRecordings(stored: readonly RecordingRecord[], live: ReadonlyMap<string, LiveSession>): Difference[] {
    const found: Difference[] = []
    for (const record of stored) {
      const session = live.get(record.room_session_id)
      if (session && (session.writes.isStuck || session.recordings.unfinished.includes(record.id))) continue
      const isOurs = session?.recordings.has(record.id)
      found.push({
        key: `recording ${record.id}`,
        mend: () => (isOurs ? this.#rewrite(session!, record.id) : this.#repairOfThePast(record)),
      })
    }
    const known = new Set(stored.map(({ id }) => id))
    for (const session of live.values()) {
      if (!this.#isComparable(session)) continue
      for (const id of session.recordings.unfinished) {
        if (!known.has(id)) found.push({ key: `recording ${id}`, mend: () => this.#rewrite(session, id) })
      }
    }
    return found
  }

  /** Repairs a recording of a session that is over. */
  async #repairOfThePast(record: RecordingRecord): Promise<void> {
    const { recovery } = this.#options
    if (await recovery.mayRepair(record)) await recovery.repairRecording(record)
  }

  #rewrite(session: LiveSession, recordingId: string): void {
    session.recordings.writeAgain(recordingId)
    session.history.mend(async () => {}, { what: 'recording', id: recordingId })
  }

  #ofRows(kind: Kind, stored: readonly OpenRow[], live: ReadonlyMap<string, LiveSession>): Difference[] {
    const found: Difference[] = []
    const { close, reopen } = ROWS[kind]
    const known = new Set(stored.map(({ id }) => id))
    const openOf = new Map([...live].map(([id, session]) => [id, session.openRecords[kind]]))
    for (const row of stored) {
      const session = live.get(row.room_session_id)
      if (session?.writes.isStuck || openOf.get(row.room_session_id)?.has(row.id)) continue
      const payload = { what: kind, id: row.id }
      found.push({
        key: `${kind} ${row.id}`,
        mend: () =>
          session
            ? session.history.mend((tx) => close(tx, row, session.now), payload)
            : this.#closeOfThePast(row, (tx, at) => close(tx, row, at)),
      })
    }
    for (const session of live.values()) {
      if (!this.#isComparable(session) || session.isEnded) continue
      for (const [id, row] of openOf.get(session.id) ?? []) {
        if (known.has(id)) continue
        const payload = { what: kind, id }
        const mend = () => session.history.mend((tx) => reopen(tx, row as never), payload)
        found.push({ key: `${kind} ${id}`, mend })
      }
    }
    return found
  }

  /** Closes a row of a session that is over. The row ended with its session. */
  async #closeOfThePast(row: OpenRow, close: (tx: Repositories, at: number) => Promise<void>): Promise<void> {
    const { storage, clock } = this.#options
    const session = await storage.sessions.find(row.project_id, row.room_session_id)
    await close(storage, session?.end_time ?? clock.now())
  }
}
