import { t } from '../languages/texts.ts'
import { ApiError } from './api-error.ts'

/** The text of a failure: what happened, and what to do about it. */
export interface ErrorText {
  title: string
  hint: string
}

/** The text for the rejection of an API call. */
export function apiErrorText(error: unknown): ErrorText {
  if (!(error instanceof ApiError)) return textOf('page-failed')
  const said = error.entries.map((entry) => entry.message).join(' ')
  switch (error.status) {
    case 0:
      return textOf('unreachable')
    case 401:
      return textOf('credentials-wrong')
    case 403:
      return textOf('token-without-video')
    case 404:
      return textOf('gone')
    case 429:
      return textOf('too-many-requests')
    case 400:
    case 422:
      return { title: t('errors.not-accepted'), hint: said || t('errors.not-accepted-hint') }
    default:
      return {
        title: t('errors.server-problem', { status: error.status }),
        hint: t('errors.server-problem-hint'),
      }
  }
}

const textOf = (
  what:
    | 'page-failed'
    | 'unreachable'
    | 'credentials-wrong'
    | 'token-without-video'
    | 'gone'
    | 'too-many-requests',
): ErrorText => ({ title: t(`errors.${what}`), hint: t(`errors.${what}-hint`) })
