import type { Connection, Outcome } from './connection.ts'

/**
 * Lets the reads of one turn of the event loop see the database as it is at the first of them, which spares the others
 * the locks. Whoever may have learnt of a change in between ends the view.
 */
export class SharedView {
  readonly #connection: Connection
  #isOpen = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws SqliteError */
  run(sql: string, parameters: readonly unknown[]): Outcome {
    if (!this.#isOpen) {
      this.#connection.run('begin')
      this.#isOpen = true
      setImmediate(() => this.end())
    }
    return this.#connection.run(sql, parameters)
  }

  /** The next read sees everything that is committed by then. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#connection.run('commit')
  }

  close(): void {
    this.end()
    this.#connection.close()
  }
}
