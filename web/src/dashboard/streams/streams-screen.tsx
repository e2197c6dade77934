import { useInfiniteQuery } from '@tanstack/react-query'
import { FlaskConical, Radio } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/select.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { useFilter } from '../use-filter.ts'
import { listedStreams, STREAM_STATUSES } from './stream-queries.ts'
import { StreamRow } from './stream-row.tsx'
import { StreamTestDialog } from './stream-test-dialog.tsx'

/** All streams of the project, and a test of an address. */
export function StreamsScreen() {
  const { client } = useDashboard()
  const mayAct = useMay('operate')
  const [chosen, choose] = useFilter('status')
  const status = STREAM_STATUSES.find((one) => one === chosen) ?? null
  const query = useInfiniteQuery(listedStreams(client, status))
  const [isTesting, setTesting] = useState(false)
  const streams = query.data?.pages.flatMap((page) => page.data)
  return (
    <>
      <ScreenHead title={t('dashboard.streams')}>
        {mayAct && (
          <Button size="small" onClick={() => setTesting(true)}>
            <FlaskConical aria-hidden className="size-4" />
            {t('live.test')}
          </Button>
        )}
      </ScreenHead>
      <search className="mb-5 block sm:w-56">
        <Select
          label={t('live.status')}
          value={status ?? 'any'}
          options={[
            { value: 'any', label: t('live.status-any') },
            ...STREAM_STATUSES.map((value) => ({ value, label: t(`live.status-${value}`) })),
          ]}
          onChange={(next) => choose(next === 'any' ? '' : next)}
        />
      </search>
      <Asking query={{ ...query, data: streams }} placeholder="h-72">
        {(found) =>
          found.length === 0 && !query.hasNextPage ? (
            <div className="rounded-lg border border-line bg-surface shadow-card">
              <EmptyState
                icon={<Radio className="size-6" />}
                title={t(status ? 'live.no-stream-found' : 'live.no-streams')}
                hint={t(status ? 'live.no-stream-found-hint' : 'live.no-streams-hint')}
              />
            </div>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
              {found.map((stream) => (
                <StreamRow key={stream.id} stream={stream} />
              ))}
            </ul>
          )
        }
      </Asking>
      <OlderButton query={query} label={t('live.older')} />
      {isTesting && <StreamTestDialog onClose={() => setTesting(false)} />}
    </>
  )
}
