import { useFilter } from '../use-filter.ts'
import type { RecordingFilters } from './recording-queries.ts'
import { STATES } from './recording-state.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const dayOf = (value: string) => (DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : '')

/** The filters of the list of recordings, which are in the address. */
export function useRecordingFilters(): {
  filters: RecordingFilters
  isFiltered: boolean
  change: Readonly<Record<keyof RecordingFilters, (value: string) => void>>
} {
  const [room, setRoom] = useFilter('room')
  const [since, setSince] = useFilter('since')
  const [until, setUntil] = useFilter('until')
  const [status, setStatus] = useFilter('status')
  const filters = {
    room,
    since: dayOf(since),
    until: dayOf(until),
    status: status in STATES ? status : '',
  }
  return {
    filters,
    isFiltered: Object.values(filters).some((value) => value !== ''),
    change: { room: setRoom, since: setSince, until: setUntil, status: setStatus },
  }
}
