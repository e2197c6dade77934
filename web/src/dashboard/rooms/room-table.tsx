import { Copy, EllipsisVertical, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../api/signed-in-access.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { LiveBadge } from '../../lobby/live-badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { screenHref } from '../addresses.ts'
import { DeleteRoom } from './delete-room.tsx'
import type { FoundRoom, RoomKind } from './room-kinds.ts'

/** A table of rooms or conferences. Each row leads to its room, and the mark of a running session to that session. */
export function RoomTable({ kind, rooms }: { kind: RoomKind; rooms: readonly FoundRoom[] }) {
  const mayChange = useMay('operate')
  const [, go] = useLocation()
  const [toDelete, setToDelete] = useState<FoundRoom | null>(null)
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table className="w-full text-sm">
        <thead>
          <tr className="border-b border-line text-ink-soft">
            <th scope="col" className={headClass}>
              {t('rooms.title')}
            </th>
            <th scope="col" className={`${headClass} hidden sm:table-cell`}>
              {t('rooms.opens')}
            </th>
            <th scope="col" className={`${headClass} hidden lg:table-cell`}>
              {t('rooms.created')}
            </th>
            {mayChange && (
              <th scope="col" className="w-12">
                <span className="sr-only">{t('rooms.actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rooms.map((room) => (
            <tr key={room.id} className="border-b border-line last:border-0 hover:bg-hover">
              <td className="px-4 py-2.5">
                <RoomName kind={kind} room={room} />
              </td>
              <td className="hidden px-4 py-2.5 tabular-nums sm:table-cell">{timeText(room.join_from)}</td>
              <td className="hidden px-4 py-2.5 tabular-nums lg:table-cell">{timeText(room.created_at)}</td>
              {mayChange && (
                <td className="px-2 text-end">
                  <Menu
                    trigger={
                      <IconButton label={t('rooms.actions-of', { name: room.display_name ?? room.name })}>
                        <EllipsisVertical className="size-4.5" />
                      </IconButton>
                    }
                  >
                    <MenuItem
                      icon={<Copy className="size-4" />}
                      onSelect={() => go(screenHref(`${kind.path}/new?from=${room.id}`))}
                    >
                      {t('rooms.duplicate')}
                    </MenuItem>
                    <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setToDelete(room)}>
                      {t('rooms.delete')}
                    </MenuItem>
                  </Menu>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {toDelete && <DeleteRoom kind={kind} room={toDelete} onClose={() => setToDelete(null)} />}
    </div>
  )
}

const headClass = 'px-4 py-3 text-start font-medium'

function RoomName({ kind, room }: { kind: RoomKind; room: FoundRoom }) {
  const { id, name, display_name, active_session_id } = room
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      <div className="min-w-0">
        <Link
          href={screenHref(`${kind.path}/${id}`)}
          className="rounded-sm font-medium break-words text-ink [overflow-wrap:anywhere] hover:text-accent"
        >
          <bdi>{display_name ?? name}</bdi>
        </Link>
        {display_name !== name && (
          <p dir="ltr" className="font-mono text-xs break-all text-ink-soft rtl:text-end">
            {name}
          </p>
        )}
      </div>
      {active_session_id && (
        <Link href={screenHref(`sessions/${active_session_id}`)} className="rounded-full">
          <LiveBadge />
        </Link>
      )}
    </div>
  )
}

const timeText = (time: string | null) =>
  time === null ? '–' : dateText(time, { dateStyle: 'medium', timeStyle: 'short' })
