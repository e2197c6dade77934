import { MicOff } from 'lucide-react'
import { answerOf } from '../../api/http.ts'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Card } from '../card.tsx'
import type { LiveMember, LiveRoom } from './live-queries.ts'
import { MemberMarks } from './member-marks.tsx'
import { memberName } from './member-name.ts'
import { useAct } from './use-act.ts'

/** The people in a running room. */
export function PeopleCard({ room }: { room: LiveRoom }) {
  const more = room.people - room.members.filter(({ type }) => type === 'member').length
  return (
    <Card title={t('live.people-title')}>
      <ul aria-label={t('live.people-in', { room: room.display_name })} className="space-y-1">
        {room.members.map((member) => (
          <Person key={member.id} room={room} member={member} />
        ))}
        {more > 0 && <li className="text-sm text-ink-soft">{t('live.more-people', { count: more })}</li>}
      </ul>
    </Card>
  )
}

function Person({ room, member }: { room: LiveRoom; member: LiveMember }) {
  const mayAct = useMay('operate')
  const name = memberName(member)
  const mute = useAct((client) =>
    answerOf(
      client.POST('/api/dashboard/live_rooms/{id}/mute', {
        params: { path: { id: room.id } },
        body: { member_id: member.id },
      }),
    ),
  )
  return (
    <li className="flex min-h-10 items-center gap-2">
      <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
      <MemberMarks member={member} />
      {mayAct && !member.audio_muted && (
        <IconButton
          label={t('live.mute-member', { name })}
          disabled={mute.isPending}
          onClick={() => mute.mutate()}
          className="size-9"
        >
          <MicOff className="size-4.5" />
        </IconButton>
      )}
    </li>
  )
}
