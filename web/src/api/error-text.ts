import { ApiError } from './api-error.ts'

/** The text of a failure: what happened, and what to do about it. */
export interface ErrorText {
  title: string
  hint: string
}

/** The text for the rejection of an API call. */
export function apiErrorText(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) {
    return { title: 'Something went wrong on this page', hint: 'Reload the page, then try again.' }
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
      return { title: 'This does not exist any more', hint: 'Somebody may have deleted it. Reload the page.' }
    case 429:
      return { title: 'The server gets too many requests', hint: 'Wait a minute, then try again.' }
    case 400:
    case 422:
      return {
        title: 'The server did not accept this',
        hint: said || 'Check what you entered, then try again.',
      }
    default:
      return {
        title: `The server had a problem (${error.status})`,
        hint: 'Try again. If it happens again, the server’s log says why.',
      }
  }
}
