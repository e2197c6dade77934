/** Limits for records that wait to be written. */
export interface WriteQueueLimits {
  records: number
  bytes: number
}

/** Limits for all sessions together. Far below what would exhaust the server's memory. */
const OVERALL: WriteQueueLimits = { records: 200_000, bytes: 64 * 1024 * 1024 }
/**
 * Limits for one session. Enough for an hour without a database, in a room where somebody joins or leaves every
 * second.
 */
const PER_SESSION: WriteQueueLimits = { records: 20_000, bytes: 8 * 1024 * 1024 }

/** Counts records that wait to be written, in one session or in all. */
export class WriteQueueBudget {
  readonly #limits: WriteQueueLimits
  readonly #overall: WriteQueueBudget | null
  #records = 0
  #bytes = 0

  private constructor(limits: WriteQueueLimits, overall: WriteQueueBudget | null) {
    this.#limits = limits
    this.#overall = overall
  }

  /** The budget that all sessions of a server share. */
  static overall(limits: WriteQueueLimits = OVERALL): WriteQueueBudget {
    return new WriteQueueBudget(limits, null)
  }

  /** The budget of one session. Its records also count in the shared budget. */
  ofSession(limits: WriteQueueLimits = PER_SESSION): WriteQueueBudget {
    return new WriteQueueBudget(limits, this)
  }

  get records(): number {
    return this.#records
  }

  get isExceeded(): boolean {
    if (this.#overall?.isExceeded) return true
    return this.#records > this.#limits.records || this.#bytes > this.#limits.bytes
  }

  add(bytes: number): void {
    this.#count(1, bytes)
  }

  remove(bytes: number): void {
    this.#count(-1, -bytes)
  }

  #count(records: number, bytes: number): void {
    this.#records += records
    this.#bytes += bytes
    if (this.#overall) this.#overall.#count(records, bytes)
  }
}
