import { t } from '../../languages/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import type { RecordingFilters } from './recording-queries.ts'
import { STATES } from './recording-state.ts'

interface RecordingFilterBarProps {
  filters: RecordingFilters
  change: Readonly<Record<keyof RecordingFilters, (value: string) => void>>
}

/** What the list of recordings is filtered by. */
export function RecordingFilterBar({ filters, change }: RecordingFilterBarProps) {
  const states = Object.entries(STATES).map(([value, id]) => ({ value, label: t(id) }))
  return (
    <search className="mb-5 grid grid-cols-2 items-end gap-3 lg:grid-cols-[minmax(0,1fr)_12rem_10rem_10rem]">
      <Field
        className="col-span-2 lg:col-span-1"
        label={t('recordings.room')}
        value={filters.room}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => change.room(event.target.value)}
      />
      <div className="col-span-2 lg:col-span-1">
        <Select
          label={t('recordings.state')}
          value={filters.status || 'any'}
          options={[{ value: 'any', label: t('recordings.state-any') }, ...states]}
          onChange={(next) => change.status(next === 'any' ? '' : next)}
        />
      </div>
      <Field
        type="date"
        label={t('recordings.since')}
        value={filters.since}
        onChange={(event) => change.since(event.target.value)}
      />
      <Field
        type="date"
        label={t('recordings.until')}
        value={filters.until}
        onChange={(event) => change.until(event.target.value)}
      />
    </search>
  )
}
