import { useEffect } from 'react'

/** Shows the screen's name in the tab's title, before the product's name. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title ? `${title} · Parley` : 'Parley'
    return () => {
      document.title = 'Parley'
    }
  }, [title])
}
