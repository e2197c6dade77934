import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import { dateText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { foreignServerText } from './foreign-server-text.ts'
import { ForeignServer } from './own-server.ts'
import { TimedOut } from './within.ts'

/**
 * Returns the text for an error that kept somebody out of a room: a refusal of the API or of the room, or a problem
 * with the media. A refusal of the room is `{ code, message }`, and its message says what to do.
 */
export function joinErrorText(error: unknown): ErrorText {
  if (error instanceof ApiError) return apiErrorText(error)
  if (error instanceof TimedOut) return textOf('no-answer')
  if (error instanceof ForeignServer) return foreignServerText(error.host)
  const { code, message } = refusalOf(error)
  if (/removed you from this session/i.test(message)) {
    return { title: t('meeting.removed'), hint: t('meeting.removed-hint') }
  }
  if (/was revoked|not valid any more|no such conference token/i.test(message)) {
    return askForNew('errors.invitation-void')
  }
  if (/this token lets in/i.test(message)) return textOf('invitation-in-use')
  // It has the code of a full room, for clients that know only that.
  if (/too much to do/i.test(message)) return textOf('server-busy')
  switch (code) {
    case '480':
      return textOf('room-full')
    case '423':
      return textOf('room-locked')
    case 'ICE_GATHERING_FAILED':
      return textOf('media-unreachable')
  }
  const time = timeIn(message)
  if (/opens at/i.test(message)) {
    return { title: t('errors.room-early'), hint: time ? t('errors.room-opens', { time }) : message }
  }
  if (/was over|were to be removed/i.test(message)) {
    return { title: t('errors.room-over'), hint: time ? t('errors.room-closed', { time }) : message }
  }
  if (/expired/i.test(message)) return askForNew('errors.invitation-expired')
  if (code === '-32002') {
    return { title: t('errors.invitation-refused'), hint: message || t('errors.ask-for-new-invitation') }
  }
  return { title: t('errors.joining-failed'), hint: message || t('errors.try-again') }
}

const textOf = (
  what: 'no-answer' | 'invitation-in-use' | 'server-busy' | 'room-full' | 'room-locked' | 'media-unreachable',
): ErrorText => ({ title: t(`errors.${what}`), hint: t(`errors.${what}-hint`) })

const askForNew = (title: 'errors.invitation-void' | 'errors.invitation-expired'): ErrorText => ({
  title: t(title),
  hint: t('errors.ask-for-new-invitation'),
})

/** Code and message of the client's rejection; empty strings if it has none. */
export function refusalOf(error: unknown): { code: string; message: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: '' }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { code: code === undefined ? '' : String(code), message: typeof message === 'string' ? message : '' }
}

/** The time in a message is ISO 8601 in UTC. The page shows it in local time. */
function timeIn(message: string): string | null {
  const time = message.match(/\d{4}-\d\d-\d\dT[\d:.]+Z/)?.[0]
  return time === undefined ? null : dateText(time, { dateStyle: 'medium', timeStyle: 'short' })
}
