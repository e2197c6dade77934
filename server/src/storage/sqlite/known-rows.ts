/** Limits for the cache. Beyond them, everything is looked up again. */
const MOST_RESULTS = 256
const LONGEST_TEXT = 8 * 1024

/**
 * Results of look-ups by key, for as long as no connection has changed the database. Each has one row or none. Who asks
 * again for the same row need not wait for the end of the turn.
 */
export class KnownRows {
  /** Keyed by SQL, then by parameters in JSON. */
  readonly #known = new Map<string, Map<string, unknown[]>>()
  #version: number | undefined
  #count = 0

  /** @param version of the database, as of now: with another one than before, nothing is known any more */
  recall(version: number, sql: string, parameters: readonly unknown[]): unknown[] | undefined {
    if (version !== this.#version) this.#clear()
    this.#version = version
    return this.#known.get(sql)?.get(JSON.stringify(parameters))
  }

  /**
   * Keeps what a look-up found.
   * @param version that its {@link recall} had. The rows are as new as that or newer; with a newer version known meanwhile,
   * they may be too old
   */
  keep(version: number, sql: string, parameters: readonly unknown[], rows: unknown[]): void {
    if (version !== this.#version || rows.length > 1 || textOf(rows[0]) > LONGEST_TEXT) return
    if (this.#count >= MOST_RESULTS) this.#clear()
    this.#count++
    const ofStatement = this.#known.get(sql) ?? new Map<string, unknown[]>()
    this.#known.set(sql, ofStatement.set(JSON.stringify(parameters), rows))
  }

  #clear(): void {
    this.#known.clear()
    this.#count = 0
  }
}

/** How many characters the texts of a row have. */
function textOf(row: unknown): number {
  let length = 0
  for (const value of Object.values(row ?? {})) if (typeof value === 'string') length += value.length
  return length
}
