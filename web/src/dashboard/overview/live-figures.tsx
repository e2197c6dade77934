import { useQuery } from '@tanstack/react-query'
import { Cast, Circle, DoorOpen, Eye, type LucideIcon, Users } from 'lucide-react'
import type { TextId } from '../../languages/catalogs.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type LiveFigures as Figures, liveFigures } from '../dashboard-queries.ts'

const FIGURES: readonly { of: keyof Figures; label: TextId; icon: LucideIcon }[] = [
  { of: 'rooms', label: 'dashboard.live-rooms', icon: DoorOpen },
  { of: 'members', label: 'dashboard.people', icon: Users },
  { of: 'audience', label: 'dashboard.audience', icon: Eye },
  { of: 'recordings', label: 'dashboard.recording-now', icon: Circle },
  { of: 'streams', label: 'dashboard.streaming-now', icon: Cast },
]

/** What happens in the project now, in large numbers. */
export function LiveFigures() {
  const { client } = useDashboard()
  const query = useQuery(liveFigures(client))
  return (
    <section aria-label={t('dashboard.now')}>
      <Asking query={query} placeholder="h-24">
        {(figures) => (
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
            {FIGURES.map(({ of, label, icon: Icon }) => (
              <div
                key={of}
                className="flex flex-col-reverse justify-end rounded-lg border border-line bg-surface px-5 py-4 shadow-card first:col-span-2 sm:first:col-span-1"
              >
                <dd
                  className={classNames(
                    'mt-1 text-2xl font-semibold tracking-tight tabular-nums',
                    figures[of] === 0 && 'text-ink-soft',
                  )}
                >
                  {numberText(figures[of])}
                </dd>
                <dt className="flex items-center gap-2 text-sm text-ink-soft">
                  <Icon
                    aria-hidden
                    className={classNames('size-4 shrink-0', figures[of] > 0 && 'text-live')}
                  />
                  <span className="truncate">{t(label)}</span>
                </dt>
              </div>
            ))}
          </dl>
        )}
      </Asking>
    </section>
  )
}
