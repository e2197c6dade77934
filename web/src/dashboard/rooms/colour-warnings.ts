import { contrast, parseColour } from '../../conference/colours.ts'
import { type ConferenceColours, OWN_GROUND, type Theme, themeOf, UNSET } from '../../conference/theme.ts'

/** A colour that could not be read on the background, and the one that the page of the conference shows instead. */
export interface ColourWarning {
  field: keyof ConferenceColours
  /** Its contrast as it was set, 1 to 4.5. */
  ratio: number
  /** As `#rrggbb`. */
  shown: string
}

/** The least contrast at which a text can be read (WCAG 2.2, 1.4.3). */
const LEAST = 4.5

/** The colours that are texts, and what the page makes of them. */
const TEXTS = {
  foreground: '--color-ink',
  primary: '--color-accent',
  success: '--color-live',
  negative: '--color-danger-ink',
} as const

/** What the page corrects in a theme, because it could not be read. */
export function colourWarnings(colours: ConferenceColours, theme: Theme): ColourWarning[] {
  const shown = themeOf(colours, theme)
  const ground = parseColour(shown['--color-canvas'] ?? null) ?? OWN_GROUND[theme]
  return Object.entries(TEXTS).flatMap(([part, variable]) => {
    const field = `${theme}_${part as keyof typeof TEXTS}` as const
    const given = parseColour(colours[field])
    const corrected = shown[variable]
    // What was not set is a colour of the page, which fits.
    if (!given || !corrected || colours[field]?.toUpperCase() === UNSET[part as keyof typeof TEXTS]) return []
    const ratio = contrast(given, ground)
    return ratio < LEAST ? [{ field, ratio, shown: corrected }] : []
  })
}
