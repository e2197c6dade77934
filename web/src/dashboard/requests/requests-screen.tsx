import { useInfiniteQuery } from '@tanstack/react-query'
import { ListTree } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { OwnersOnly } from '../accounts/owners-only.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { useFilter } from '../use-filter.ts'
import { RequestFilterBar } from './request-filter-bar.tsx'
import { loggedRequests, withNews } from './request-queries.ts'
import { RequestRow } from './request-row.tsx'
import { useLiveRequests } from './use-live-requests.ts'

/** The latest requests to the API, as they come. */
export function RequestsScreen() {
  const { client } = useDashboard()
  const [method, setMethod] = useFilter('method')
  const [status, setStatus] = useFilter('status')
  const [text, setText] = useFilter('text')
  const filters = { method, status: /^[2-5]xx$/.test(status) ? status : '', text: text.slice(0, 200) }
  const news = useLiveRequests()
  const query = useInfiniteQuery(loggedRequests(client, filters))
  const listed = query.data?.pages.flatMap(({ data }) => data)
  return (
    <>
      <ScreenHead title={t('dashboard.requests')} />
      <p className="-mt-3 mb-5 max-w-prose text-sm text-ink-soft">{t('developers.requests-hint')}</p>
      <OwnersOnly error={query.error}>
        <RequestFilterBar filters={filters} onMethod={setMethod} onStatus={setStatus} onText={setText} />
        <Asking query={{ ...query, data: listed && withNews(listed, news, filters) }} placeholder="h-96">
          {(found) =>
            found.length === 0 ? (
              <div className="rounded-lg border border-line bg-surface shadow-card">
                <EmptyState
                  icon={<ListTree className="size-6" />}
                  title={t('developers.no-requests')}
                  hint={t('developers.no-requests-hint')}
                />
              </div>
            ) : (
              <ol className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
                {found.map((request) => (
                  <RequestRow key={request.id} request={request} />
                ))}
              </ol>
            )
          }
        </Asking>
      </OwnersOnly>
      <OlderButton query={query} label={t('developers.older-requests')} />
    </>
  )
}
