import { CircleAlert, Dot, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { dateText, numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { eventText } from './event-text.ts'
import type { SessionEvent } from './session-queries.ts'

interface EventListProps {
  /** Oldest first. */
  events: readonly SessionEvent[]
  moment: number | null
  onPick: (moment: number) => void
}

/** Events that are shown at once. */
const SHOWN = 200
const ICONS = { info: Dot, warning: TriangleAlert, error: CircleAlert } as const

/** What happened in a session. Each event leads to its moment in the recording. */
export function EventList({ events, moment, onPick }: EventListProps) {
  const [shown, setShown] = useState(SHOWN)
  const present =
    moment === null ? -1 : events.findLastIndex(({ created_at }) => Date.parse(created_at) <= moment)
  const left = events.length - shown
  return (
    <>
      <ol>
        {events.slice(0, shown).map((event, index) => {
          const Icon = ICONS[event.level]
          return (
            <li key={event.id}>
              <button
                type="button"
                aria-current={index === present ? 'step' : undefined}
                onClick={() => onPick(Date.parse(event.created_at))}
                className={classNames(
                  'flex min-h-9 w-full items-center gap-3 rounded-sm px-2 text-start text-sm hover:bg-hover',
                  index === present && 'bg-accent-soft',
                )}
              >
                <time dateTime={event.created_at} className="w-22 shrink-0 text-ink-soft tabular-nums">
                  {dateText(event.created_at, { timeStyle: 'medium' })}
                </time>
                <Icon
                  aria-hidden
                  className={classNames(
                    'size-4 shrink-0',
                    event.level === 'info' ? 'text-ink-soft' : 'text-danger-ink',
                  )}
                />
                <span className="min-w-0 break-words">{eventText(event)}</span>
              </button>
            </li>
          )
        })}
      </ol>
      {left > 0 && (
        <Button kind="quiet" size="small" className="mt-2" onClick={() => setShown(shown + SHOWN * 5)}>
          {t('dashboard.more-events', { count: numberText(left) })}
        </Button>
      )}
    </>
  )
}
