import { refusalOf } from './join-error-text.ts'

/** A sentence on why the server refused a request, and what to do about it. @param error what the client rejected with */
export function refusalText(error: unknown): string {
  // The client reads the fields of an answer that never came.
  if (error instanceof TypeError) return noAnswer
  const { code, message } = refusalOf(error)
  switch (code) {
    case '403':
      return 'You may not do this here. Ask a moderator to do it, or to allow it.'
    case '404':
      return 'It is not there any more. Somebody may have left or ended it meanwhile.'
    case '429':
      return 'That was too often in a short time. Wait a moment, then try again.'
    case '-32601':
      return 'This server does not offer it. The person who runs it can install a newer version.'
    case '500':
      return 'The server had a problem. Try again; if it happens again, the server’s log says why.'
    case '':
      return message || noAnswer
  }
  return withoutMachineWords(message) || 'Try again.'
}

const noAnswer = 'The server did not answer. Check the connection, then try again.'

/** The server says in front of its sentence which parameter was wrong. */
function withoutMachineWords(message: string): string {
  const said = message.replace(/^Invalid params: (params|\w+) /, 'The server did not accept this: it ')
  return said === '' || /[.!?]$/.test(said) ? said : `${said}.`
}
