import { DoorOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../api/error-text.ts'
import { useMay } from '../api/signed-in-access.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { RoomListItem } from './room-list-item.tsx'
import type { RoomList as Rooms } from './use-rooms.ts'

interface RoomListProps {
  list: Rooms
  picked: string | null
  onCreate: () => void
}

/** If there are more rooms than this, a search field appears. */
const findFrom = 8

/** All rooms of the project, to select one. */
export function RoomList({ list, picked, onCreate }: RoomListProps) {
  const [wanted, setWanted] = useState('')
  const mayOperate = useMay('operate')
  const { rooms, error } = list

  if (!rooms && error) return <Unreachable error={error} onRetry={list.reload} />
  if (!rooms) return <Placeholders />
  if (rooms.length === 0) {
    return (
      <EmptyState
        icon={<DoorOpen className="size-6" />}
        title={t('host.no-rooms')}
        hint={t('host.no-rooms-hint')}
      >
        {mayOperate && (
          <Button kind="primary" onClick={onCreate}>
            <Plus aria-hidden className="size-5" />
            {t('host.create-first-room')}
          </Button>
        )}
      </EmptyState>
    )
  }

  const matching = rooms.filter((room) =>
    `${room.display_name ?? ''} ${room.name}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  )
  return (
    <div className="space-y-2">
      {error && <Unreachable error={error} onRetry={list.reload} />}
      {rooms.length >= findFrom && (
        <input
          type="search"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
          aria-label={t('host.find-room')}
          placeholder={t('host.find-room')}
          className="mb-1 h-10 w-full rounded-md border border-line-strong bg-surface px-3 text-base placeholder:text-ink-soft/75"
        />
      )}
      <ul className="space-y-1" aria-label={t('host.rooms')}>
        {matching.map((room) => (
          <RoomListItem key={room.id} room={room} picked={room.name === picked} />
        ))}
      </ul>
      {matching.length === 0 && <p className="px-3 py-4 text-sm text-ink-soft">{t('host.no-room-found')}</p>}
      {list.hasMore && (
        <Button kind="quiet" size="small" busy={list.loadingMore} onClick={list.loadMore} className="w-full">
          {t('host.older-rooms')}
        </Button>
      )}
    </div>
  )
}

function Unreachable({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const text = apiErrorText(error)
  return (
    <Notice tone="danger" title={text.title} hint={text.hint}>
      <Button size="small" onClick={onRetry}>
        {t('guest.try-again')}
      </Button>
    </Notice>
  )
}

function Placeholders() {
  return (
    <div role="status" aria-label={t('host.loading-rooms')} className="space-y-2">
      <Skeleton className="h-14" />
      <Skeleton className="h-14" />
      <Skeleton className="h-14" />
    </div>
  )
}
