import { expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import { ForeignServer } from './own-server.ts'
import { isTokenRefused, returnFailure, ServerAway } from './return-failure.ts'
import { TimedOut } from './within.ts'

const retries = (error: unknown) => returnFailure(error).retry

test('trouble is tried again', () => {
  for (const error of [
    new ServerAway(),
    new TimedOut(),
    new ApiError(0, []),
    new ApiError(503, []),
    new ApiError(429, []),
    Symbol('closed'),
    undefined,
    { code: '409', message: 'The session has ended.' },
    { code: '480', message: 'The room is full.' },
    { code: '500', message: 'No media.' },
    { code: '503', message: 'Not now.' },
    { code: -32603, message: 'Internal error' },
  ]) {
    expect([error, retries(error)]).toEqual([error, true])
  }
})

test('a no is a no', () => {
  for (const error of [
    { code: -32002, message: 'Authentication failed: the token has expired. Ask for a new one.' },
    { code: '403', message: 'The time to join was over at 2026-01-01T00:00:00.000Z.' },
    { code: '404', message: 'There is no such room.' },
    { code: '423', message: 'The room is locked.' },
    new ApiError(401, []),
    new ForeignServer('evil.example'),
  ]) {
    expect([error, retries(error)]).toEqual([error, false])
    expect(returnFailure(error).text.title).not.toBe('')
  }
})

test('a refused token is told apart', () => {
  expect(isTokenRefused({ code: -32002, message: 'x' })).toBe(true)
  expect(isTokenRefused({ code: '403', message: 'x' })).toBe(false)
  expect(isTokenRefused(undefined)).toBe(false)
})
