import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { LiveBadge } from '../../lobby/live-badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { ScreenHead } from '../screen-head.tsx'
import { ConferenceCards } from './conference-cards.tsx'
import { DeleteRoom } from './delete-room.tsx'
import { formValues } from './form-values.ts'
import { RoomForm } from './room-form.tsx'
import type { AnyRoom, Conference, RoomKind } from './room-kinds.ts'
import { oneRoom } from './room-queries.ts'

/** One room or conference: its settings, and of a conference what it is handed out by. */
export function EditRoom({ kind, id }: { kind: RoomKind; id: string }) {
  const { client } = useDashboard()
  const query = useQuery(oneRoom(client, kind, id))
  return (
    <Asking query={query} placeholder="h-96">
      {(room) => <Loaded kind={kind} newest={room} />}
    </Asking>
  )
}

function Loaded({ kind, newest }: { kind: RoomKind; newest: AnyRoom }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const tell = useToast()
  const mayChange = useMay('operate')
  const [, go] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  /** What the form shows. Somebody else may change the room meanwhile. */
  const [room, setRoom] = useState(newest)
  const save = useMutation({
    mutationFn: (body: object) => kind.update(client, room.id, body),
    onSuccess: (saved) => {
      setRoom(saved)
      tell(t('rooms.saved'))
      void queries.invalidateQueries({ queryKey: [...keys.rooms, kind.path] })
    },
  })
  const isOld = Date.parse(newest.updated_at) > Date.parse(room.updated_at)
  const title = room.display_name ?? room.name
  return (
    <>
      <ScreenHead title={title}>
        {newest.active_session && (
          <Link href={screenHref(`sessions/${newest.active_session.id}`)} className="rounded-full">
            <LiveBadge />
          </Link>
        )}
        {mayChange && (
          <>
            <Link
              href={screenHref(`${kind.path}/new?from=${room.id}`)}
              className={buttonClass({ size: 'small' })}
            >
              <Copy aria-hidden className="size-4" />
              {t('rooms.duplicate')}
            </Link>
            <Button size="small" onClick={() => setDeleting(true)}>
              <Trash2 aria-hidden className="size-4" />
              {t('rooms.delete')}
            </Button>
          </>
        )}
      </ScreenHead>
      {!mayChange && (
        <Notice tone="info" title={t('rooms.only-look')} hint={t('rooms.only-look-hint')} className="mb-5" />
      )}
      {isOld && (
        <Notice tone="warning" title={t('rooms.changed')} hint={t('rooms.changed-hint')} className="mb-5">
          <Button size="small" onClick={() => setRoom(newest)}>
            {t('rooms.show-changes')}
          </Button>
        </Notice>
      )}
      {kind.path === 'conferences' && <ConferenceCards conference={room as Conference} />}
      <RoomForm
        key={room.updated_at}
        form={kind.form}
        initial={formValues(kind.form, room)}
        isNew={false}
        isLocked={!mayChange}
        action={t('rooms.save')}
        busy={save.isPending}
        error={save.error}
        onSubmit={save.mutate}
      />
      {isDeleting && (
        <DeleteRoom
          kind={kind}
          room={room}
          onClose={() => setDeleting(false)}
          onDeleted={() => go(screenHref(kind.path))}
        />
      )}
    </>
  )
}
