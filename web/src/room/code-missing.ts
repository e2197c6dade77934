import type { ErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'

/** Code of the page could not be fetched: the network or the server is away, or the server has newer pages. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing'
}

/** The text for it. */
export function codeMissingText(): ErrorText {
  return { title: t('guest.code-missing'), hint: t('guest.code-missing-hint') }
}
