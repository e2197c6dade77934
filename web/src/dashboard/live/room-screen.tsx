import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, History } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../api/api-error.ts'
import { useMay } from '../../api/signed-in-access.ts'
import { loadTexts } from '../../languages/current-language.ts'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { type LiveRoom, liveRoom } from './live-queries.ts'
import { MessageForm } from './message-form.tsx'
import { PeopleCard } from './people-card.tsx'
import { RoomControls } from './room-controls.tsx'
import { RoomFacts } from './room-facts.tsx'
import { RoomPreview } from './room-preview.tsx'

/** The code of the meeting, which is most of the page, is fetched once somebody watches. */
const WatchedRoom = lazy(async () => {
  const [{ WatchedRoom }] = await Promise.all([
    import('./watched-room.tsx'),
    loadTexts('live', 'dashboard', 'chat', 'panels', 'meeting', 'errors', 'waiting'),
  ])
  return { default: WatchedRoom }
})

/** One running room: its live picture, the people in it, and what can be done. */
export function RoomScreen({ id }: { id: string }) {
  const { client } = useDashboard()
  const query = useQuery(liveRoom(client, id))
  const isOver = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <Link
        href={screenHref('live')}
        className="mb-2 inline-flex min-h-9 items-center gap-1.5 rounded-sm text-sm font-medium text-ink-soft hover:text-ink"
      >
        <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
        {t('live.all-rooms')}
      </Link>
      <ScreenHead title={query.data?.display_name ?? t('dashboard.live')} />
      {isOver ? (
        <Over id={id} />
      ) : (
        <Asking query={query} placeholder="h-96">
          {(room) => <Room room={room} />}
        </Asking>
      )}
    </>
  )
}

function Room({ room }: { room: LiveRoom }) {
  const mayAct = useMay('operate')
  return (
    <>
      <div className="-mt-4 mb-5">
        <RoomFacts room={room} />
      </div>
      <div className="grid gap-5 xl:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-5">
          {mayAct ? (
            <Suspense fallback={<RoomPreview room={room} />}>
              <WatchedRoom room={room} />
            </Suspense>
          ) : (
            <>
              <RoomPreview room={room} />
              <p className="text-sm text-ink-soft">{t('live.watch-rights')}</p>
            </>
          )}
          <Card title={t('live.controls')}>
            {mayAct ? <RoomControls room={room} /> : <Notice tone="info" title={t('live.act-rights')} />}
          </Card>
        </div>
        <div className="min-w-0 space-y-5">
          <PeopleCard room={room} />
          {mayAct && <MessageForm room={room} />}
        </div>
      </div>
    </>
  )
}

function Over({ id }: { id: string }) {
  return (
    <div className="rounded-lg border border-line bg-surface shadow-card">
      <EmptyState icon={<History className="size-6" />} title={t('live.over')} hint={t('live.over-hint')}>
        <Link
          href={screenHref(`sessions/${id}`)}
          className="rounded-sm font-medium text-accent underline-offset-4 hover:underline"
        >
          {t('live.history')}
        </Link>
      </EmptyState>
    </div>
  )
}
