import { useEffect } from 'react'
import { type ConferenceColours, type Theme, themeOf } from './theme.ts'

/** Gives the whole page the colours of a conference, as long as it is shown. */
export function useConferenceTheme(colours: ConferenceColours | null): void {
  useEffect(() => {
    if (!colours) return
    const sheet = new CSSStyleSheet()
    sheet.replaceSync((['light', 'dark'] as const).map((theme) => rulesOf(colours, theme)).join('\n'))
    document.adoptedStyleSheets.push(sheet)
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
    }
  }, [colours])
}

function rulesOf(colours: ConferenceColours, theme: Theme): string {
  const lines = Object.entries(themeOf(colours, theme)).map(([name, value]) => `${name}: ${value};`)
  const all = lines.join(' ')
  // An embedded page may be told which theme to show.
  return `@media (prefers-color-scheme: ${theme}) { :root:not([data-theme]) { ${all} } }\n:root[data-theme="${theme}"] { ${all} }`
}
