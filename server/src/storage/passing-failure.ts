import { DatabaseUnreachable } from './postgres/waiting-pool.ts'

/**
 * SQLite cannot now what it may do later: the disk is full, slow, gone or read-only, or somebody else holds the lock
 * (https://www.sqlite.org/rescode.html; extended codes begin with the primary one).
 */
const SQLITE = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|PROTOCOL|NOMEM|ABORT|INTERRUPT)(_|$)/

/**
 * The same for PostgreSQL (appendix A): connection exceptions, transactions that others made fail, a full disk or too
 * many connections, time-outs of locks and statements, an administrator at work, faults of the system around it.
 */
const POSTGRES = /^(08|25006|25P03|40|53|55006|55P03|57|58)/

/** The way to PostgreSQL, as Node tells of it. */
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

/** A disk that is full, read-only or broken, as Node tells of it. */
const DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/** The driver gives these no code. */
const DRIVER =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/

/**
 * Whether a database or disk refused something that it may take later as it is: it is away, locked or out of space. Such a write
 * may have been done all the same, if the connection broke while it was committed. Everything else fails every time.
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

/** Whether nobody can tell if the write that failed so is in the database: the answer to its commit was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!isPassingFailure(error) || error instanceof DatabaseUnreachable) return false
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return NETWORK.has(code) || code === ''
}
