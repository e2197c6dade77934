import { ApiError } from '../api/api-error.ts'
import { t } from '../languages/texts.ts'
import { joinErrorText, refusalOf } from './join-error-text.ts'
import { ForeignServer } from './own-server.ts'
import type { ReturnFailure } from './return-plan.ts'

/** The server gave no answer at all. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway'
}

/** Codes of a final refusal: bad request, forbidden, gone, locked. */
const finalCodes = new Set(['400', '403', '404', '423'])
/** The server refused the token at sign-in (docs/protocol.md, section 6). */
const tokenCode = '-32002'

/** Whether the server refused the token itself. Another token may work. */
export function isTokenRefused(error: unknown): boolean {
  return refusalOf(error).code === tokenCode
}

/** Whether to try again after a failed attempt to come back, and what to tell the person. */
export function returnFailure(error: unknown): ReturnFailure {
  if (error instanceof ServerAway) {
    return {
      retry: true,
      text: {
        title: t('meeting.server-away'),
        hint: t('meeting.server-away-hint'),
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
