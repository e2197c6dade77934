import { ApiError } from '../api/api-error.ts'
import { joinErrorText, refusalOf } from './join-error-text.ts'
import { ForeignServer } from './own-server.ts'
import type { ReturnFailure } from './return-plan.ts'

/** The server gave no answer at all. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway'
}

/** Codes with which the server says no for good: bad request, forbidden, gone, locked. */
const finalCodes = new Set(['400', '403', '404', '423'])
/** The token was refused when signing in (docs/protocol.md, section 6). */
const tokenCode = '-32002'

/** Whether the server refused the token itself; another token may do. */
export function isTokenRefused(error: unknown): boolean {
  return refusalOf(error).code === tokenCode
}

/** What an attempt to come back that failed means for the next one. */
export function returnFailure(error: unknown): ReturnFailure {
  if (error instanceof ServerAway) {
    return {
      retry: true,
      text: {
        title: 'The server cannot be reached',
        hint: 'It may be starting, or this device may be offline.',
      },
    }
  }
  return { retry: mayGoBetter(error), text: joinErrorText(error) }
}

function mayGoBetter(error: unknown): boolean {
  if (error instanceof ForeignServer) return false
  if (error instanceof ApiError) return error.status === 0 || error.status === 429 || error.status >= 500
  const { code, message } = refusalOf(error)
  if (code === tokenCode) return /unavailable|try again/i.test(message)
  return !finalCodes.has(code)
}
