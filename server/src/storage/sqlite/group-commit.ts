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

/** A group that has lasted this long is committed before the next transaction may join it. */
const GROUP_AGE_MS = 5

/** A transaction that gives no sign of life for this long is rolled back, since everybody else waits for it. */
export const IDLE_TRANSACTION_MS = 5000

/**
 * Serves writes so that many share one commit, which is what costs: the disk is waited for once, then all of them are
 * answered. A statement that fails undoes itself alone; a transaction is a savepoint within the group, one at a time.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #clock: Clock
  readonly #post: (answers: Answer[]) => void
  #queue: Request[] = []
  #ready: Answer[] = []
  /**
   * Answers that are true once the group is on disk. A statement that failed is among them: what stood in its way may be of
   * the same group, and whoever looks for it afterwards must find it.
   */
  #uncommitted: Answer[] = []
  /** Answers to those who took their transaction back: they too look afterwards, whatever becomes of the group. */
  #takenBack: Answer[] = []
  #openSince: number | undefined
  #transaction: number | undefined
  /** Transactions that were rolled back while their callers still know nothing of it, and why. */
  readonly #lost = new Map<number, Failure>()
  #idleTimer: Timer | undefined

  /** @param post sends answers to those who asked */
  constructor(connection: Connection, clock: Clock, post: (answers: Answer[]) => void) {
    this.#connection = connection
    this.#clock = clock
    this.#post = post
  }

  /** Does what it can, commits and answers. What must wait for a transaction to end is done with a later call. */
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

  /** The database cannot be written now, and everybody who waits has waited long enough. */
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
      // It had no statement.
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

  /** Nothing of the group has come into the database. */
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
