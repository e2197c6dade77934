import { Link } from 'wouter'
import { t } from '../../languages/texts.ts'
import { screenHref } from '../addresses.ts'
import type { LiveRoom } from './live-queries.ts'
import { MemberMarks } from './member-marks.tsx'
import { memberName } from './member-name.ts'
import { RoomFacts } from './room-facts.tsx'
import { RoomPreview } from './room-preview.tsx'

/** People that a card names. The others are counted. */
const NAMED = 6

/** One running room on the wall. It leads to its picture. */
export function RoomCard({ room }: { room: LiveRoom }) {
  const named = room.members.slice(0, NAMED)
  const more = room.people - named.filter(({ type }) => type === 'member').length
  return (
    <li className="relative min-w-0 overflow-hidden rounded-lg border border-line bg-surface shadow-card focus-within:border-line-strong hover:border-line-strong">
      <RoomPreview room={room} />
      <div className="space-y-3 p-4">
        <h2 className="font-semibold tracking-tight">
          <Link
            href={screenHref(`live/${room.id}`)}
            className="rounded-sm break-words hover:text-accent after:absolute after:inset-0"
          >
            <bdi>{room.display_name}</bdi>
          </Link>
        </h2>
        <RoomFacts room={room} />
        <ul aria-label={t('live.people-in', { room: room.display_name })} className="space-y-1 text-sm">
          {named.map((member) => (
            <li key={member.id} className="flex min-h-6 items-center justify-between gap-2">
              <bdi className="truncate">{memberName(member)}</bdi>
              <MemberMarks member={member} />
            </li>
          ))}
          {more > 0 && <li className="text-ink-soft">{t('live.more-people', { count: more })}</li>}
        </ul>
      </div>
    </li>
  )
}
