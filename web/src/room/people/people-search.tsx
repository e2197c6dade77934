import { Search } from 'lucide-react'
import { t } from '../../languages/texts.ts'

interface PeopleSearchProps {
  typed: string
  found: number
  onChange: (typed: string) => void
}

/** A field that narrows the list of people. */
export function PeopleSearch({ typed, found, onChange }: PeopleSearchProps) {
  return (
    <div className="relative">
      <Search aria-hidden className="absolute start-3 top-1/2 size-4.5 -translate-y-1/2 text-ink-soft" />
      <input
        type="search"
        autoComplete="off"
        aria-label={t('panels.find')}
        placeholder={t('panels.find')}
        value={typed}
        onChange={(event) => onChange(event.target.value)}
        className="h-10 w-full rounded-md border border-line-strong bg-surface ps-9.5 pe-3 text-base text-ink placeholder:text-ink-soft"
      />
      <p role="status" className="sr-only">
        {typed.trim() !== '' && t('panels.found', { count: found })}
      </p>
    </div>
  )
}
