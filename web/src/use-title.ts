import { useEffect } from 'react'

/** Names the screen in the tab, before the product. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title ? `${title} · Parley` : 'Parley'
    return () => {
      document.title = 'Parley'
    }
  }, [title])
}
