import { i18n } from '@lingui/core'
import type { TextId } from './catalogs.ts'
import { currentDirection } from './current-language.ts'

/** What stands in the places of a text: names and numbers. */
export type TextValues = Readonly<Record<string, string | number>>

/**
 * The text with this id in the language of the page. Call it while a component is drawn, or when something happens, not
 * when a module is loaded: the language can change.
 */
export function t(id: TextId, values?: TextValues): string {
  return i18n._(id, values && isolated(values))
}

const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/
const LETTER = /\p{L}/u

/**
 * Names keep their own direction, and leave that of the sentence as it is: "Ada" within Arabic, an Arabic name within
 * English. The marks for that (U+2068, U+2069) cannot be seen.
 */
function isolated(values: TextValues): TextValues {
  const isForeign = currentDirection() === 'rtl' ? LETTER : RIGHT_TO_LEFT_LETTER
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && isForeign.test(value) ? `\u2068${value}\u2069` : value,
    ]),
  )
}
