import type { Clock, Timer } from '../../clock.ts'
import type { Connection, Outcome } from './connection.ts'
import {
  type Answer,
  type EndRequest,
  type Failure,
  type Request,
  type RunRequest,
  toFailure,
} from './messages.ts'

/** A group of this age is committed before the next transaction may join it. */
const GROUP_AGE_MS = 5

/** A transaction without a statement for this long is rolled back, because all other writes wait for it. */
export const IDLE_TRANSACTION_MS = 5000

/**
 * Executes writes in groups that share one commit. The commit is the expensive part: it waits for the disk once, then
 * all writes of the group are answered. A statement that fails undoes only itself. A transaction is a savepoint
 * within the group; only one is open at a time.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #post: (answers: Answer[]) => void
  #queue: Request[] = []
  #ready: Answer[] = []
  /**
   * Answers to send after the group's commit. Failed statements are included: they may conflict with a row of the
   * same group, and a caller who then looks for that row must find it.
   */
  #uncommitted: Answer[] = []
  /**
   * Answers to callers who rolled back their transaction. They also wait for the commit, because these callers may
   * look for rows afterwards. They are sent even if the group is lost.
   */
  #takenBack: Answer[] = []
  #openSince: number | undefined
  #transaction: number | undefined
  /** Transactions that were rolled back before their callers know it, with the reason. */
  readonly #lost = new Map<number, Failure>()
  #idleTimer: Timer | undefined

  /** @param post sends answers to the callers */
  constructor(connection: Connection, clock: Clock, post: (answers: Answer[]) => void) {
    this.#connection = connection
    this.#clock = clock
    this.#post = post
  }

  /**
   * Executes what it can, commits and answers. Requests that must wait for an open transaction are executed in a
   * later call.
   */
  accept(requests: readonly Request[]): void {
    for (const request of requests) this.#queue.push(request)
    this.#idleTimer?.cancel()
    for (let request = this.#next(); request; request = this.#next()) this.#serve(request)
    if (this.#transaction === undefined) this.#commit()
    else this.#idleTimer = this.#clock.after(IDLE_TRANSACTION_MS, () => this.#giveUpTransaction())
    this.#flush()
  }

  #next(): Request | undefined {
    if (this.#transaction === undefined) return this.#queue.shift()
    const index = this.#queue.findIndex((request) => request.transaction === this.#transaction)
    return index < 0 ? undefined : this.#queue.splice(index, 1)[0]
  }

  #serve(request: Request): void {
    try {
      if (request.kind === 'run') this.#run(request)
      else this.#end(request)
    } catch (error) {
      const failure = toFailure(error)
      if (this.#openSince === undefined) this.#refuse([request, ...this.#queue.splice(0)], failure)
      else {
        const isAlone = request.transaction === null
        ;(isAlone ? this.#uncommitted : this.#ready).push({ id: request.id, outcome: failure })
        if (!this.#connection.inTransaction) this.#loseGroup(failure)
      }
    }
  }

  /** Refuses requests: the database cannot be written now, and all callers have waited long enough. */
  #refuse(requests: readonly Request[], failure: Failure): void {
    for (const { id, kind, transaction } of requests) {
      this.#ready.push({ id, outcome: failure })
      if (transaction !== null && kind === 'run') this.#lost.set(transaction, failure)
    }
  }

  #run({ id, transaction, sql, parameters }: RunRequest): void {
    if (transaction === null) {
      this.#open()
      this.#uncommitted.push({ id, outcome: this.#connection.run(sql, parameters) })
      return
    }
    const lost = this.#lost.get(transaction)
    if (lost) {
      this.#ready.push({ id, outcome: lost })
      return
    }
    if (this.#transaction === undefined) this.#begin(transaction)
    this.#ready.push({ id, outcome: this.#connection.run(sql, parameters) })
  }

  #begin(transaction: number): void {
    if (this.#openSince !== undefined && this.#clock.now() - this.#openSince > GROUP_AGE_MS) this.#commit()
    this.#open()
    this.#connection.run('savepoint part')
    this.#transaction = transaction
  }

  #end({ id, kind, transaction }: EndRequest): void {
    const done: Outcome = { rows: [] }
    const lost = this.#lost.get(transaction)
    if (lost) {
      this.#lost.delete(transaction)
      this.#ready.push({ id, outcome: kind === 'commit' ? lost : done })
    } else if (this.#transaction !== transaction) {
      // The transaction had no statement.
      this.#ready.push({ id, outcome: done })
    } else if (kind === 'commit') {
      this.#connection.run('release part')
      this.#transaction = undefined
      this.#uncommitted.push({ id, outcome: done })
    } else {
      this.#undoTransaction()
      this.#takenBack.push({ id, outcome: done })
    }
  }

  #undoTransaction(): void {
    this.#connection.run('rollback to part')
    this.#connection.run('release part')
    this.#transaction = undefined
  }

  #giveUpTransaction(): void {
    if (this.#transaction === undefined) return
    const message = `a transaction did nothing for ${IDLE_TRANSACTION_MS} ms and was rolled back`
    this.#lost.set(this.#transaction, { message, code: 'SQLITE_ABORT' })
    this.#undoTransaction()
    this.accept([])
  }

  #open(): void {
    if (this.#openSince !== undefined) return
    this.#connection.run('begin immediate')
    this.#openSince = this.#clock.now()
  }

  #commit(): void {
    if (this.#openSince === undefined) return
    try {
      this.#connection.run('commit')
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.run('rollback')
      this.#loseGroup(toFailure(error))
      return
    }
    this.#openSince = undefined
    this.#ready.push(...this.#uncommitted, ...this.#takenBack)
    this.#uncommitted = []
    this.#takenBack = []
  }

  /** The group failed: nothing of it is in the database. */
  #loseGroup(failure: Failure): void {
    for (const { id } of this.#uncommitted) this.#ready.push({ id, outcome: failure })
    this.#ready.push(...this.#takenBack)
    this.#uncommitted = []
    this.#takenBack = []
    this.#openSince = undefined
    if (this.#transaction !== undefined) this.#lost.set(this.#transaction, failure)
    this.#transaction = undefined
  }

  #flush(): void {
    if (this.#ready.length === 0) return
    const answers = this.#ready
    this.#ready = []
    this.#post(answers)
  }
}
