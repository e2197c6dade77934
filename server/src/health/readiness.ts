/** One reason why the server is not fully working, for programs and for people. */
export interface Trouble {
  part: 'server' | 'database' | 'disk' | 'workers' | 'ports'
  /** Such as `database_away`. */
  code: string
  message: string
  /** The server can still serve requests. */
  isWarning?: boolean
}

/** One check of the server. An exception in it counts as trouble. */
export interface Check {
  part: Trouble['part']
  /** @returns the trouble, or null */
  look(): Promise<Trouble | null> | Trouble | null
}

/** How long a result is reused, in milliseconds, because clients may ask often. */
const FRESH_MS = 1000
/** Longest time that a caller waits for a check, in milliseconds. */
const PATIENCE_MS = 500

/** One check with its last result. */
class Watched {
  readonly #check: Check
  #found: Trouble | null = null
  #foundAtMs = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null

  constructor(check: Check) {
    this.#check = check
  }

  async trouble(): Promise<Trouble | null> {
    if (performance.now() - this.#foundAtMs < FRESH_MS) return this.#found
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    const isInTime = await inTime(this.#looking)
    if (isInTime) return this.#found
    const { part } = this.#check
    return { part, code: `${part}_slow`, message: `The ${part} does not answer in ${PATIENCE_MS} ms.` }
  }

  async #look(): Promise<void> {
    const { part } = this.#check
    try {
      this.#found = await this.#check.look()
    } catch {
      // The error message is not shown, because it may reveal internals. The log has it where it matters.
      this.#found = { part, code: `${part}_unusable`, message: `The ${part} cannot be used.` }
    }
    this.#foundAtMs = performance.now()
  }
}

async function inTime(work: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), PATIENCE_MS)
  try {
    return await Promise.race([work.then(() => true), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Tells whether the server can serve. A query is cheap and never waits long. */
export class Readiness {
  readonly #checks: readonly Watched[]

  constructor(checks: readonly Check[]) {
    this.#checks = checks.map((check) => new Watched(check))
  }

  /** All current troubles. */
  async troubles(): Promise<Trouble[]> {
    const found = await Promise.all(this.#checks.map((check) => check.trouble()))
    return found.filter((trouble) => trouble !== null)
  }
}
