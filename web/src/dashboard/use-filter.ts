import { useSearchParams } from 'wouter'

/**
 * A filter of a screen, which is in the address: a reload, a bookmark and the back button keep it.
 * @param name in the query of the address
 * @returns its value, or an empty text, and a function that changes it; an empty text takes it out of the address
 */
export function useFilter(name: string): [value: string, change: (value: string) => void] {
  const [search, setSearch] = useSearchParams()
  const change = (value: string) =>
    setSearch(
      (present) => {
        const next = new URLSearchParams(present)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [search.get(name) ?? '', change]
}
