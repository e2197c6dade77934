import type { ErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'

/** The text for an invitation to another server. @param host as the token names it; null if it cannot be read */
export function foreignServerText(host: string | null): ErrorText {
  return {
    title: t('guest.foreign-server'),
    hint: host === null ? t('guest.foreign-server-unnamed-hint') : t('guest.foreign-server-hint', { host }),
  }
}
