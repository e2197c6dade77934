import { useQuery } from '@tanstack/react-query'
import { MonitorPlay } from 'lucide-react'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { liveRooms } from './live-queries.ts'
import { RoomCard } from './room-card.tsx'

/** Previews of all running rooms, with the people in them. */
export function LiveWall() {
  const { client } = useDashboard()
  const query = useQuery(liveRooms(client))
  return (
    <>
      <ScreenHead title={t('dashboard.live')} />
      <Asking query={query} placeholder="h-72">
        {({ data, total }) =>
          data.length === 0 ? (
            <div className="rounded-lg border border-line bg-surface shadow-card">
              <EmptyState
                icon={<MonitorPlay className="size-6" />}
                title={t('live.nothing')}
                hint={t('live.nothing-hint')}
              />
            </div>
          ) : (
            <>
              <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                {data.map((room) => (
                  <RoomCard key={room.id} room={room} />
                ))}
              </ul>
              {total > data.length && (
                <p className="mt-4 text-center text-sm text-ink-soft">
                  {t('live.more-rooms', { count: total - data.length })}
                </p>
              )}
            </>
          )
        }
      </Asking>
    </>
  )
}
