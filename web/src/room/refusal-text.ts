import { t } from '../languages/texts.ts'
import { refusalOf } from './join-error-text.ts'

/** A sentence on why the server refused a request, and what to do about it. @param error what the client rejected with */
export function refusalText(error: unknown): string {
  // The client reads the fields of an answer that never came.
  if (error instanceof TypeError) return t('meeting.refused-no-answer')
  const { code, message } = refusalOf(error)
  switch (code) {
    case '403':
      return t('meeting.refused-forbidden')
    case '404':
      return t('meeting.refused-gone')
    case '429':
      return t('meeting.refused-too-often')
    case '-32601':
      return t('meeting.refused-not-offered')
    case '500':
      return t('meeting.refused-server-problem')
    case '':
      return message || t('meeting.refused-no-answer')
  }
  return withoutMachineWords(message) || t('meeting.refused-try-again')
}

/** The server says in front of its sentence which parameter was wrong. */
function withoutMachineWords(message: string): string {
  const reason = message.replace(/^Invalid params: (params|\w+) /, '')
  const said = reason === message ? message : t('meeting.refused-not-accepted', { reason })
  return said === '' || /[.!?]$/.test(said) ? said : `${said}.`
}
