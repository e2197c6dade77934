import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, EllipsisVertical, Trash2, Video } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useApi } from '../api/api-context.tsx'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText } from '../api/error-text.ts'
import type { Room } from '../api/resources.ts'
import { useMay } from '../api/signed-in-access.ts'
import { t } from '../languages/texts.ts'
import { RecordingList } from '../recordings/recording-list.tsx'
import { routeHref } from '../routes.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Confirm } from '../ui/confirm.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { goTo } from '../use-route.ts'
import { LiveBadge } from './live-badge.tsx'
import { RoomFacts } from './room-facts.tsx'
import { usePeopleInside } from './use-people-inside.ts'

const refreshMs = 5_000

/** The selected room: who is in it, the button to join, and its recordings. */
export function RoomPanel({ roomName }: { roomName: string }) {
  const api = useApi()
  const {
    data: room,
    error,
    refetch,
  } = useQuery({
    queryKey: ['room', roomName],
    queryFn: ({ signal }) => api.getRoom(roomName, signal),
    refetchInterval: refreshMs,
  })

  return (
    <div>
      <Link
        href={routeHref({ screen: 'lobby', roomName: null })}
        className="mb-4 inline-flex min-h-10 items-center gap-2 rounded-md text-sm font-medium text-ink-soft hover:text-ink md:hidden"
      >
        <ArrowLeft aria-hidden className="size-4.5 rtl:-scale-x-100" />
        {t('host.all-rooms')}
      </Link>
      {room ? <RoomHead room={room} /> : !error && <Skeleton className="h-28" />}
      {error && <Problem roomName={roomName} error={error} onRetry={() => void refetch()} />}
      {room && (
        <section aria-labelledby="recordings-heading" className="mt-10">
          <h2 id="recordings-heading" className="mb-3 text-lg font-semibold tracking-tight">
            {t('host.recordings')}
          </h2>
          <RecordingList roomName={roomName} />
        </section>
      )}
    </div>
  )
}

function RoomHead({ room }: { room: Room }) {
  const people = usePeopleInside(room.active_session?.id ?? null)
  const mayOperate = useMay('operate')
  const title = room.display_name ?? room.name
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-5">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {room.active_session && people?.length !== 0 && <LiveBadge count={people?.length} />}
        </div>
        <RoomFacts room={room} people={people} />
      </div>
      {mayOperate && (
        <div className="flex w-full items-center gap-1 sm:w-auto">
          <Link
            href={routeHref({ screen: 'visit', roomName: room.name })}
            className={classNames(buttonClass({ kind: 'primary', size: 'large' }), 'flex-1 sm:flex-none')}
          >
            <Video aria-hidden className="size-5" />
            {t('host.join-room')}
          </Link>
          <RoomMenu room={room} />
        </div>
      )}
    </div>
  )
}

function RoomMenu({ room }: { room: Room }) {
  const api = useApi()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.deleteRoom(room.id),
    onSuccess: async () => {
      setAsking(false)
      goTo({ screen: 'lobby', roomName: null })
      queries.removeQueries({ queryKey: ['room', room.name] })
      await queries.invalidateQueries({ queryKey: ['rooms'] })
    },
  })
  return (
    <>
      <Menu
        trigger={
          <IconButton label={t('host.more-about-room')} className="size-13">
            <EllipsisVertical className="size-5" />
          </IconButton>
        }
      >
        <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setAsking(true)}>
          {t('host.delete-room')}
        </MenuItem>
      </Menu>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('host.delete-room-question', { name: room.display_name ?? room.name })}
        description={t(room.active_session ? 'host.delete-room-in-use' : 'host.delete-room-unused')}
        action={t('host.delete-room')}
        busy={remove.isPending}
        problem={remove.error ? apiErrorText(remove.error) : null}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}

function Problem(props: { roomName: string; error: Error; onRetry: () => void }) {
  const { roomName, error, onRetry } = props
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Notice
        tone="warning"
        title={t('host.no-such-room', { name: roomName })}
        hint={t('host.no-such-room-hint')}
      />
    )
  }
  const text = apiErrorText(error)
  return (
    <Notice tone="danger" title={text.title} hint={text.hint} className="mt-4">
      <Button size="small" onClick={onRetry}>
        {t('guest.try-again')}
      </Button>
    </Notice>
  )
}
