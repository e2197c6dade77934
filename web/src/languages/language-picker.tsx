import { Languages } from 'lucide-react'
import { useState } from 'react'
import { chooseLanguage, currentLanguage } from './current-language.ts'
import { LANGUAGE_CODES, LANGUAGES, type Language } from './languages.ts'
import { t } from './texts.ts'

/**
 * Lets the person change the language of the pages. Each language is called by its own name. On a phone only the sign is
 * shown. The list is that of the browser, and lies invisible over what is shown.
 */
export function LanguagePicker() {
  const [hasFailed, setFailed] = useState(false)

  async function choose(language: Language): Promise<void> {
    setFailed(false)
    await chooseLanguage(language).catch(() => setFailed(true))
  }

  return (
    <div className="relative flex h-10 w-fit min-w-10 items-center justify-center gap-2 rounded-md px-2.5 text-sm font-medium text-ink-soft hover:bg-hover hover:text-ink has-focus-visible:outline-2 has-focus-visible:outline-focus">
      <Languages aria-hidden className="size-4.5" />
      <span aria-hidden className="hidden sm:block">
        {LANGUAGES[currentLanguage()].name}
      </span>
      {/* A font of the system: the names are in many scripts, and ours would be loaded for each of them. */}
      <select
        aria-label={t('guest.language')}
        value={currentLanguage()}
        onChange={(event) => void choose(event.target.value as Language)}
        className="absolute inset-0 size-full cursor-pointer appearance-none font-system text-base opacity-0"
      >
        {LANGUAGE_CODES.map((code) => (
          <option key={code} value={code} lang={code} className="bg-raised text-ink">
            {LANGUAGES[code].name}
          </option>
        ))}
      </select>
      {hasFailed && (
        <p
          role="alert"
          className="absolute end-0 top-full z-10 w-64 rounded-md bg-danger-soft px-3 py-2 text-danger-ink"
        >
          {t('guest.language-not-loaded')}
        </p>
      )}
    </div>
  )
}
