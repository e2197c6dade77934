import { useEffect } from 'react'

export type Theme = 'light' | 'dark'

/** Shows the page in this theme, whatever the device asks for. @param theme null for that of the device */
export function useForcedTheme(theme: Theme | null): void {
  useEffect(() => {
    const { dataset } = document.documentElement
    if (theme === null) delete dataset.theme
    else dataset.theme = theme
  }, [theme])
}
