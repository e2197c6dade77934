/** What the page knows of a language: its own name for itself, and which way it is written. */
interface LanguageFacts {
  name: string
  direction: 'ltr' | 'rtl'
}

/** The languages of the pages, by their BCP 47 codes, in the order in which they are offered. */
export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  pt: { name: 'Português', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Readonly<Record<string, LanguageFacts>>

export type Language = keyof typeof LANGUAGES

/** All languages, in the order in which they are offered. */
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[]

/** Whether this is the code of one of our languages. */
export function isLanguage(code: string | null): code is Language {
  return code !== null && Object.hasOwn(LANGUAGES, code)
}

/**
 * The language for a person: the one chosen before on this device, else the first that the browser asks for and the
 * pages have, else English.
 * @param chosen as it was stored; may be anything
 * @param wanted `navigator.languages`, such as `['pt-BR', 'en']`
 */
export function languageFor(chosen: string | null, wanted: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen
  return wanted.map(languageOf).find(isLanguage) ?? 'en'
}

/**
 * The locale for dates and numbers: the person's own country where the browser names it in this language, since
 * `en-GB` and `en-US` write dates differently.
 */
export function localeFor(language: Language, wanted: readonly string[]): string {
  return wanted.find((tag) => languageOf(tag) === language) ?? language
}

/** `pt` of `pt-BR`. */
const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? ''
