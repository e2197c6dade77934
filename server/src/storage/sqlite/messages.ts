import SqliteDatabase from 'better-sqlite3'
import type { Outcome } from './connection.ts'

/** Start parameters of a database thread. */
export interface ThreadData {
  file: string
  mode: 'write' | 'read'
}

/** One request. Requests and answers are sent in batches, because each message between threads has a cost. */
export type Request = RunRequest | EndRequest

/** Runs a statement, by itself or as part of a transaction. The first statement of a transaction begins it. */
export interface RunRequest {
  kind: 'run'
  id: number
  transaction: number | null
  sql: string
  parameters: readonly unknown[]
}

/** Ends a transaction. */
export interface EndRequest {
  kind: 'commit' | 'rollback'
  id: number
  transaction: number
}

/** Result of the request with that id. */
export interface Answer {
  id: number
  outcome: Outcome | Failure
}

/** An error in a form that can be sent between threads. A plain error would lose its code. */
export interface Failure {
  message: string
  code: string
}

/** Messages from the main thread to the database thread. */
export type ToThread = Request[] | 'close'

/** Messages from the database thread to the main thread. The first one says whether the file could be opened. */
export type FromThread = 'opened' | Failure | Answer[]

/** Converts an error for the other thread. SQLite errors keep their code. Other errors keep only their message. */
export function toFailure(error: unknown): Failure {
  if (error instanceof SqliteDatabase.SqliteError) return { message: error.message, code: error.code }
  return { message: error instanceof Error ? error.message : String(error), code: 'SQLITE_MISUSE' }
}

/** Restores an error that {@link toFailure} converted on the other thread. */
export function fromFailure({ message, code }: Failure): Error {
  return new SqliteDatabase.SqliteError(message, code)
}
