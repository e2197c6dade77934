import { useQuery } from '@tanstack/react-query'
import { DoorOpen, type LucideIcon, Search, User } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { useDashboard } from '../dashboard-context.tsx'
import { sessionNames } from './session-queries.ts'

interface SearchBoxProps {
  onRoom: (name: string) => void
  onPerson: (name: string) => void
}

interface Suggestion {
  key: string
  name: string
  kind: 'room' | 'person'
}

const ICONS: Readonly<Record<Suggestion['kind'], LucideIcon>> = { room: DoorOpen, person: User }

/** A field that suggests rooms and people, by how their names begin. */
export function SearchBox({ onRoom, onPerson }: SearchBoxProps) {
  const { client } = useDashboard()
  const id = useId()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const { data } = useQuery(sessionNames(client, useDeferredValue(text.trim())))
  const found: Suggestion[] = [
    ...(data?.rooms ?? []).map((name) => ({ key: `room ${name}`, name, kind: 'room' as const })),
    ...(data?.people ?? []).map((name) => ({ key: `person ${name}`, name, kind: 'person' as const })),
  ]
  const isShown = isOpen && text.trim() !== ''
  const active = Math.min(chosen, found.length - 1)

  function take(suggestion: Suggestion | undefined): void {
    if (!suggestion) return
    setText('')
    setOpen(false)
    if (suggestion.kind === 'room') onRoom(suggestion.name)
    else onPerson(suggestion.name)
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') setOpen(false)
    if (event.key === 'Enter') take(found[active])
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    setOpen(true)
    const step = event.key === 'ArrowDown' ? 1 : -1
    setChosen((active + step + found.length) % Math.max(1, found.length))
  }

  return (
    <div className="relative">
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {t('dashboard.search-sessions')}
      </label>
      <Search aria-hidden className="pointer-events-none absolute start-3 bottom-3 size-5 text-ink-soft" />
      <input
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        placeholder={t('dashboard.search-placeholder')}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setOpen(true)
          setChosen(0)
        }}
        onKeyDown={onKey}
        onBlur={() => setOpen(false)}
        className="h-11 w-full rounded-md border border-line-strong bg-surface ps-10 pe-3 text-base placeholder:text-ink-soft/75"
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t('dashboard.search-sessions')}
        hidden={!isShown}
        className="absolute inset-x-0 top-full z-20 mt-1 rounded-md border border-line bg-raised p-1 shadow-float"
      >
        {found.map(({ key, name, kind }, index) => {
          const Icon = ICONS[kind]
          return (
            <div
              key={key}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // Before the field loses the focus.
              onPointerDown={(event) => {
                event.preventDefault()
                take(found[index])
              }}
              className={classNames(
                'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-sm px-3 text-sm hover:bg-hover',
                index === active && 'bg-hover',
              )}
            >
              <Icon aria-hidden className="size-4 shrink-0 text-ink-soft" />
              <bdi className="truncate">{name}</bdi>
            </div>
          )
        })}
        {found.length === 0 && (
          <div
            role="option"
            aria-disabled
            aria-selected={false}
            tabIndex={-1}
            className="px-3 py-2 text-sm text-ink-soft"
          >
            {t('dashboard.no-name-found')}
          </div>
        )}
      </div>
    </div>
  )
}
