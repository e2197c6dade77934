import { useSearchParams } from 'wouter'
import type { SessionFilters } from './session-queries.ts'

const NAMES = [
  'room',
  'person',
  'since',
  'until',
  'status',
] as const satisfies readonly (keyof SessionFilters)[]
const DAY = /^\d{4}-\d{2}-\d{2}$/
const STATUSES = ['in-progress', 'completed']

/** The filters of the list of sessions, which are in the address. */
export function useSessionFilters(): {
  filters: SessionFilters
  isFiltered: boolean
  change: (changes: Partial<SessionFilters>) => void
} {
  const [search, setSearch] = useSearchParams()
  const of = (name: keyof SessionFilters, isGood: (value: string) => boolean = () => true) => {
    const value = search.get(name) ?? ''
    return isGood(value) ? value : ''
  }
  const isDay = (value: string) => DAY.test(value) && !Number.isNaN(Date.parse(value))
  const filters: SessionFilters = {
    room: of('room'),
    person: of('person'),
    since: of('since', isDay),
    until: of('until', isDay),
    status: of('status', (value) => STATUSES.includes(value)),
  }
  const change = (changes: Partial<SessionFilters>) =>
    setSearch(
      (present) => {
        const next = new URLSearchParams(present)
        for (const [name, value] of Object.entries(changes)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  return { filters, isFiltered: NAMES.some((name) => filters[name] !== ''), change }
}
