import { Link } from 'wouter'
import type { Room } from '../api/resources.ts'
import { routeHref } from '../routes.ts'
import { classNames } from '../ui/class-names.ts'
import { LiveBadge } from './live-badge.tsx'

export function RoomListItem({ room, picked }: { room: Room; picked: boolean }) {
  const title = room.display_name ?? room.name
  return (
    <li>
      <Link
        href={routeHref({ screen: 'lobby', roomName: room.name })}
        aria-current={picked ? 'true' : undefined}
        className={classNames(
          'flex min-h-14 items-center gap-3 rounded-md px-3 py-2 transition-colors',
          picked ? 'bg-accent-soft' : 'hover:bg-hover',
        )}
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium text-ink">
            <bdi>{title}</bdi>
          </span>
          {title !== room.name && (
            <span className="block truncate text-sm text-ink-soft">
              <bdi>{room.name}</bdi>
            </span>
          )}
        </span>
        {room.active_session && <LiveBadge />}
      </Link>
    </li>
  )
}
