import type { Lookups } from '../compiled-query.ts'
import type { Connection, Outcome } from './connection.ts'

/** Changes when another connection has changed the database; this one only reads. */
const VERSION = 'pragma data_version'

/**
 * Lets the reads of one turn of the event loop see the database as it is at the first of them, which spares the others
 * the locks. Whoever may have learnt of a change in between ends the view.
 */
export class SharedView implements Lookups {
  readonly #connection: Connection
  readonly #end = () => this.end()
  #isOpen = false
  #version: number | undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws SqliteError */
  run(sql: string, parameters: readonly unknown[]): Outcome {
    this.#open()
    return this.#connection.run(sql, parameters)
  }

  /** @throws SqliteError */
  find(sql: string, parameters: readonly unknown[]): unknown[] {
    return this.run(sql, parameters).rows
  }

  /** @throws SqliteError */
  version(): number {
    this.#open()
    this.#version ??= (this.#connection.run(VERSION).rows[0] as { data_version: number }).data_version
    return this.#version
  }

  /** The next read sees everything that is committed by then. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#version = undefined
    this.#connection.run('commit')
  }

  close(): void {
    this.end()
    this.#connection.close()
  }

  #open(): void {
    if (this.#isOpen) return
    this.#connection.run('begin')
    this.#isOpen = true
    setImmediate(this.#end)
  }
}
