import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { isPassingFailure } from './passing-failure.ts'
import { DatabaseUnreachable } from './postgres/waiting-pool.ts'
import { UniqueViolation } from './storage.ts'

const sqlite = (code: string) => new SqliteDatabase.SqliteError('of a test', code)
const coded = (code: string) => Object.assign(new Error('of a test'), { code })

test.each([
  sqlite('SQLITE_FULL'),
  sqlite('SQLITE_BUSY'),
  sqlite('SQLITE_BUSY_SNAPSHOT'),
  sqlite('SQLITE_IOERR_WRITE'),
  sqlite('SQLITE_READONLY_DBMOVED'),
  sqlite('SQLITE_CANTOPEN'),
  coded('57P01'),
  coded('57014'),
  coded('53100'),
  coded('55P03'),
  coded('40P01'),
  coded('25006'),
  coded('08006'),
  coded('ECONNRESET'),
  new Error('Connection terminated unexpectedly'),
  new Error('Query read timeout'),
  new DatabaseUnreachable('it is away'),
  new Error('wrapped', { cause: sqlite('SQLITE_FULL') }),
])('may pass: $code $message', (error) => {
  expect(isPassingFailure(error)).toBe(true)
})

test.each([
  sqlite('SQLITE_CONSTRAINT_UNIQUE'),
  sqlite('SQLITE_CORRUPT'),
  sqlite('SQLITE_MISUSE'),
  sqlite('SQLITE_ERROR'),
  coded('23505'),
  coded('42P01'),
  coded('22001'),
  new UniqueViolation('there is one', { cause: sqlite('SQLITE_CONSTRAINT_UNIQUE') }),
  new TypeError('x is not a function'),
  'a text',
])('will never be written: $code $message', (error) => {
  expect(isPassingFailure(error)).toBe(false)
})
