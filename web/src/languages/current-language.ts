import { i18n } from '@lingui/core'
import { readStored, writeStored } from '../browser-storage.ts'
import { type Area, fetchCatalog } from './catalogs.ts'
import { LANGUAGES, type Language, languageFor, localeFor } from './languages.ts'

const storageKey = 'parley.language'

let language: Language = 'en'
/** The areas that are shown, or soon will be. */
const shownAreas = new Set<Area>()
/** What was fetched, as `area language`. */
const fetched = new Map<string, Promise<void>>()
const listeners = new Set<() => void>()

/** The language that the page is in. */
export const currentLanguage = (): Language => language

/** Which way the language of the page is written. */
export const currentDirection = (): 'ltr' | 'rtl' => LANGUAGES[language].direction

/** Calls back after each change of the language. @returns ends that */
export function onLanguageChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Fetches the texts of these areas. Await it together with the code that shows them, before that is drawn.
 * @throws if they cannot be fetched; the next call tries again
 */
export async function loadTexts(...areas: readonly Area[]): Promise<void> {
  for (const area of areas) shownAreas.add(area)
  await Promise.all(areas.map((area) => fetchOnce(area, language)))
}

/**
 * Starts in the person's language, with the texts that every screen needs.
 * @throws if they cannot be fetched
 */
export function startLanguage(): Promise<void> {
  return show(languageFor(readStored('device', storageKey), navigator.languages))
}

/**
 * Changes the language, and remembers it on this device. What is shown stays as it is until the texts are there.
 * @throws if they cannot be fetched; then nothing changes
 */
export async function chooseLanguage(chosen: Language): Promise<void> {
  await show(chosen)
  writeStored('device', storageKey, chosen)
}

let latestWish = 0

async function show(next: Language): Promise<void> {
  const wish = ++latestWish
  shownAreas.add('guest')
  // Another area may come to be shown while these are fetched.
  for (let count = 0; count < shownAreas.size; ) {
    const areas = [...shownAreas]
    count = areas.length
    await Promise.all(areas.map((area) => fetchOnce(area, next)))
  }
  if (wish !== latestWish) return
  language = next
  i18n.activate(next, [localeFor(next, navigator.languages), next])
  document.documentElement.lang = next
  document.documentElement.dir = currentDirection()
  for (const listener of listeners) listener()
}

function fetchOnce(area: Area, of: Language): Promise<void> {
  const key = `${area} ${of}`
  const fetching =
    fetched.get(key) ??
    fetchCatalog(area, of).then(
      (catalog) => i18n.load(of, catalog),
      (error: unknown) => {
        fetched.delete(key)
        throw error
      },
    )
  fetched.set(key, fetching)
  return fetching
}
