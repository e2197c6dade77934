import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { SessionFilterBar } from './session-filter-bar.tsx'
import { foundSessions } from './session-queries.ts'
import { SessionTable } from './session-table.tsx'
import { useSessionFilters } from './use-session-filters.ts'

/** Sessions of the project, by room, person, date and status. */
export function SessionList() {
  const { client } = useDashboard()
  const { filters, isFiltered, change } = useSessionFilters()
  const query = useInfiniteQuery(foundSessions(client, filters))
  const sessions = query.data?.pages.flatMap((page) => page.data)
  return (
    <>
      <ScreenHead title={t('dashboard.sessions')} />
      <SessionFilterBar filters={filters} onChange={change} />
      <Asking query={{ ...query, data: sessions }} placeholder="h-96">
        {(found) =>
          found.length === 0 && !query.hasNextPage ? (
            <div className="rounded-lg border border-line bg-surface shadow-card">
              <EmptyState
                icon={<History className="size-6" />}
                title={isFiltered ? t('dashboard.no-session-found') : t('dashboard.no-sessions')}
                hint={isFiltered ? t('dashboard.no-session-found-hint') : t('dashboard.no-sessions-hint')}
              />
            </div>
          ) : (
            <SessionTable sessions={found} />
          )
        }
      </Asking>
      <OlderButton query={query} label={t('dashboard.older-sessions')} />
    </>
  )
}
