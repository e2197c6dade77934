import { ApiError } from './api-error.ts'

/** The text of a failure: what happened, and what to do about it. */
export interface ErrorText {
  title: string
  hint: string
}

/** The text for the rejection of an API call. */
export function apiErrorText(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) {
    return { title: 'Something went wrong on this page', hint: 'Reload it and try once more.' }
  }
  const said = error.entries.map((entry) => entry.message).join(' ')
  switch (error.status) {
    case 0:
      return {
        title: 'The server cannot be reached',
        hint: 'Check that it is running and that this device is online, then try again.',
      }
    case 401:
      return {
        title: 'The project id or the API token is wrong',
        hint: 'Compare both with what the server printed when it first started.',
      }
    case 403:
      return {
        title: 'This API token may not use video',
        hint: 'Ask for a token with the Video scope and sign in with that one.',
      }
    case 404:
      return { title: 'It is not there any more', hint: 'Somebody may have deleted it in the meantime.' }
    case 429:
      return { title: 'Too many requests just now', hint: 'Wait a moment, then try again.' }
    case 400:
    case 422:
      return { title: 'The server did not accept this', hint: said || 'Check what was entered.' }
    default:
      return {
        title: `The server had a problem (${error.status})`,
        hint: 'Try again; if it stays, the server’s log says why.',
      }
  }
}
