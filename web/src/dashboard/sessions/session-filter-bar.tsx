import { DoorOpen, User, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../languages/texts.ts'
import { Select } from '../../ui/select.tsx'
import { SearchBox } from './search-box.tsx'
import type { SessionFilters } from './session-queries.ts'

interface SessionFilterBarProps {
  filters: SessionFilters
  onChange: (changes: Partial<SessionFilters>) => void
}

/** What the list of sessions is filtered by. */
export function SessionFilterBar({ filters, onChange }: SessionFilterBarProps) {
  const { room, person, since, until, status } = filters
  return (
    <search className="mb-5 block">
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(0,1fr)_11rem_10rem_10rem]">
        <div className="col-span-2 lg:col-span-1">
          <SearchBox
            onRoom={(name) => onChange({ room: name })}
            onPerson={(name) => onChange({ person: name })}
          />
        </div>
        <div className="col-span-2 sm:col-span-1">
          <Select
            label={t('dashboard.status')}
            value={status || 'any'}
            options={[
              { value: 'any', label: t('dashboard.status-any') },
              { value: 'in-progress', label: t('dashboard.status-live') },
              { value: 'completed', label: t('dashboard.status-ended') },
            ]}
            onChange={(next) => onChange({ status: next === 'any' ? '' : next })}
          />
        </div>
        <Day label={t('dashboard.since')} value={since} onChange={(day) => onChange({ since: day })} />
        <Day label={t('dashboard.until')} value={until} onChange={(day) => onChange({ until: day })} />
      </div>
      {(room || person) && (
        <ul className="mt-3 flex flex-wrap gap-2">
          {room && (
            <Chip
              icon={<DoorOpen className="size-4" />}
              name={room}
              onRemove={() => onChange({ room: '' })}
            />
          )}
          {person && (
            <Chip
              icon={<User className="size-4" />}
              name={person}
              onRemove={() => onChange({ person: '' })}
            />
          )}
        </ul>
      )}
    </search>
  )
}

function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <label className="block text-sm font-medium">
      <span className="mb-1.5 block">{label}</span>
      <input
        type="date"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-11 w-full rounded-md border border-line-strong bg-surface px-3 text-base font-normal text-ink"
      />
    </label>
  )
}

function Chip({ icon, name, onRemove }: { icon: ReactNode; name: string; onRemove: () => void }) {
  return (
    <li className="flex max-w-full items-center gap-1.5 rounded-full bg-accent-soft ps-3 text-sm font-medium text-accent-strong">
      <span aria-hidden>{icon}</span>
      <bdi className="truncate">{name}</bdi>
      <button
        type="button"
        aria-label={t('dashboard.remove-filter', { name })}
        onClick={onRemove}
        className="grid size-8 shrink-0 place-items-center rounded-full hover:bg-hover"
      >
        <X className="size-4" />
      </button>
    </li>
  )
}
