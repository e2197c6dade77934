import { chooseLanguage, currentLanguage } from '../languages/current-language.ts'
import { LANGUAGE_CODES, LANGUAGES } from '../languages/languages.ts'
import { t } from '../languages/texts.ts'
import { useToast } from '../ui/toasts.tsx'

/** Lets the person change the language during the meeting. */
export function LanguagePanel() {
  const tell = useToast()
  return (
    <fieldset aria-label={t('guest.language')} className="-mx-1 space-y-0.5">
      {LANGUAGE_CODES.map((code) => (
        <label
          key={code}
          className="flex min-h-11 cursor-pointer items-center gap-3 rounded-md px-3 hover:bg-hover has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-focus"
        >
          <input
            type="radio"
            name="language"
            checked={code === currentLanguage()}
            onChange={() => void chooseLanguage(code).catch(() => tell(t('guest.language-not-loaded')))}
            className="size-4 accent-accent outline-none"
          />
          <span lang={code}>{LANGUAGES[code].name}</span>
        </label>
      ))}
    </fieldset>
  )
}
