import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import { CodeMissing } from './code-missing.ts'
import { ForeignServer } from './own-server.ts'
import { TimedOut } from './within.ts'

/**
 * Returns the text for an error that kept somebody out of a room: a refusal of the API or of the room, or a problem
 * with the media. A refusal of the room is `{ code, message }`, and its message says what to do.
 */
export function joinErrorText(error: unknown): ErrorText {
  if (error instanceof ApiError) return apiErrorText(error)
  if (error instanceof TimedOut) {
    return {
      title: 'The server did not answer',
      hint: 'Check that it is running and that this device is online, then join again.',
    }
  }
  if (error instanceof CodeMissing) {
    return {
      title: 'The page could not load all of its parts',
      hint: 'Check that this device is online, then join again. If it happens again, reload the page.',
    }
  }
  if (error instanceof ForeignServer) return foreignServerText(error.host)
  const { code, message } = refusalOf(error)
  if (/removed you from this session/i.test(message)) {
    return { title: 'A moderator removed you', hint: 'To come back, ask them for a new invitation.' }
  }
  if (/was revoked|not valid any more|no such conference token/i.test(message)) {
    return { title: 'The invitation is not valid any more', hint: 'Ask for a new one and open its link.' }
  }
  if (/this token lets in/i.test(message)) {
    return {
      title: 'The invitation is in use',
      hint: 'Ask for your own invitation, or wait until somebody leaves.',
    }
  }
  switch (code) {
    case '480':
      return { title: 'The room is full', hint: 'Wait until somebody leaves, then join again.' }
    case '423':
      return { title: 'The room is locked', hint: 'Ask somebody inside to unlock it.' }
    case 'ICE_GATHERING_FAILED':
      return {
        title: 'Sound and picture cannot reach the server',
        hint: 'A firewall may block UDP. Try another network, or ask the person who runs the server.',
      }
  }
  if (/opens at/i.test(message)) return { title: 'The room is not open yet', hint: readableTimes(message) }
  if (/was over|were to be removed/i.test(message)) {
    return { title: 'The time to join is over', hint: readableTimes(message) }
  }
  if (/expired/i.test(message)) {
    return { title: 'The invitation has expired', hint: 'Ask for a new one and open its link.' }
  }
  if (code === '-32002') {
    return {
      title: 'The server refused the invitation',
      hint: message || 'Ask for a new one and open its link.',
    }
  }
  return { title: 'Joining did not work', hint: message || 'Try again.' }
}

/** The text for an invitation to another server. @param host as the token names it; null if it cannot be read */
export function foreignServerText(host: string | null): ErrorText {
  return {
    title: 'This invitation is for another server',
    hint: `It leads to ${host ?? 'a server that it does not name'}. Your camera and microphone were not used. Ask for an invitation to this server.`,
  }
}

/** Code and message of the client's rejection; empty strings if it has none. */
export function refusalOf(error: unknown): { code: string; message: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: '' }
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { code: code === undefined ? '' : String(code), message: typeof message === 'string' ? message : '' }
}

/** Times in a message are ISO 8601 in UTC. The page shows them in local time. */
function readableTimes(message: string): string {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  return message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => format.format(new Date(time)))
}
