import SqliteDatabase from 'better-sqlite3'
import type { Outcome } from './connection.ts'

/** What a database thread is started with. */
export interface ThreadData {
  file: string
  mode: 'write' | 'read'
}

/** One thing to do. They are sent and answered in batches, since each message has its price. */
export type Request = RunRequest | EndRequest

/** Run a statement: by itself, or as part of a transaction, which its first statement begins. */
export interface RunRequest {
  kind: 'run'
  id: number
  transaction: number | null
  sql: string
  parameters: readonly unknown[]
}

/** End a transaction. */
export interface EndRequest {
  kind: 'commit' | 'rollback'
  id: number
  transaction: number
}

/** What came of the request with that id. */
export interface Answer {
  id: number
  outcome: Outcome | Failure
}

/** An error on its way between threads, which would strip it of its code. */
export interface Failure {
  message: string
  code: string
}

/** Main thread to database thread. */
export type ToThread = Request[] | 'close'

/** Database thread to main thread; the first message says whether the file could be opened. */
export type FromThread = 'opened' | Failure | Answer[]

/** An error of SQLite in a form that passes from thread to thread; errors of another kind keep their message alone. */
export function toFailure(error: unknown): Failure {
  if (error instanceof SqliteDatabase.SqliteError) return { message: error.message, code: error.code }
  return { message: error instanceof Error ? error.message : String(error), code: 'SQLITE_MISUSE' }
}

/** The error that {@link toFailure} took apart, on the other thread. */
export function fromFailure({ message, code }: Failure): Error {
  return new SqliteDatabase.SqliteError(message, code)
}
