import { DatabaseUnreachable } from './postgres/waiting-pool.ts'

/**
 * SQLite errors that may pass: the disk is full, slow, gone or read-only, or another connection holds the lock
 * (https://www.sqlite.org/rescode.html; extended codes begin with the primary one).
 */
const SQLITE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|NOMEM|ABORT|INTERRUPT)(_|$)/

/**
 * PostgreSQL errors that may pass (appendix A): connection exceptions, transactions that failed because of others, a
 * full disk or too many connections, time-outs of locks and statements, administrator actions, system errors.
 */
const POSTGRES = /^(08|25006|25P03|40|53|55006|55P03|57|58)/

/** Node's codes for network errors on the way to PostgreSQL. */
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Node's codes for a disk that is full, read-only or broken. */
const DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** Messages of driver errors that have no code. */
const DRIVER =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * Whether a database or disk refused something that it may accept later without a change: it is unreachable, locked
 * or out of space. Such a write may still have been done, if the connection broke during its commit. Every other
 * error repeats at each attempt.
 */
export function isPassingFailure(error: unknown): boolean {
  if (error instanceof DatabaseUnreachable) return true
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (SQLITE.test(code) || NETWORK.has(code) || DISK.has(code)) return true
  if (/^[0-9A-Z]{5}$/.test(code)) return POSTGRES.test(code)
  if (DRIVER.test(error.message)) return true
  return error.cause !== undefined && isPassingFailure(error.cause)
}

/** Whether it is unknown if the failed write is in the database, because the answer to its commit was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!isPassingFailure(error) || error instanceof DatabaseUnreachable) return false
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return NETWORK.has(code) || code === ''
}
