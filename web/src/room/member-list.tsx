import { EllipsisVertical, Mic, MicOff, MonitorUp, UserMinus, UserPlus, VideoOff } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { type MeetingMember, peopleOf } from './members.ts'

interface MemberListProps {
  meeting: Meeting
  state: MeetingState
  onInvite?: () => void
}

/** The list of people in the meeting. Moderators find their controls here. */
export function MemberList({ meeting, state, onInvite }: MemberListProps) {
  const people = peopleOf(state.members)
  const sharing = new Set(
    state.members.filter((member) => member.type === 'screen').map((member) => member.parentId),
  )
  return (
    <div className="space-y-3">
      {onInvite && (
        <Button kind="secondary" size="small" onClick={onInvite} className="w-full">
          <UserPlus aria-hidden className="size-4.5" />
          Invite somebody
        </Button>
      )}
      <ul aria-label="People in the room" className="-mx-1 space-y-0.5">
        {people.map((member) => (
          <MemberRow
            key={member.id}
            meeting={meeting}
            member={member}
            self={member.id === state.selfId}
            sharing={sharing.has(member.id)}
            permissions={state.permissions}
          />
        ))}
      </ul>
    </div>
  )
}

interface MemberRowProps {
  meeting: Meeting
  member: MeetingMember
  self: boolean
  sharing: boolean
  permissions: readonly string[]
}

function MemberRow({ meeting, member, self, sharing, permissions }: MemberRowProps) {
  const talking = member.talking && !member.audioMuted
  return (
    <li className="flex min-h-12 items-center gap-3 rounded-md px-1">
      <span
        aria-hidden
        className={classNames(
          'grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent ring-2 transition-shadow',
          talking ? 'ring-talking' : 'ring-transparent',
        )}
      >
        {[...member.name][0]?.toUpperCase()}
      </span>
      <span className="min-w-0 flex-1 truncate">
        {member.name}
        {self && <span className="text-ink-soft"> (you)</span>}
      </span>
      <span className="flex shrink-0 items-center gap-2 text-ink-soft">
        {sharing && <MonitorUp role="img" aria-label="shares a screen" className="size-4.5 text-accent" />}
        {member.videoMuted && <VideoOff role="img" aria-label="camera off" className="size-4.5" />}
        {member.audioMuted ? (
          <MicOff role="img" aria-label="microphone off" className="size-4.5" />
        ) : (
          <Mic
            role="img"
            aria-label={talking ? 'talking' : 'microphone on'}
            className={classNames('size-4.5', talking && 'text-live')}
          />
        )}
      </span>
      {!self && <MemberMenu meeting={meeting} member={member} permissions={permissions} />}
    </li>
  )
}

function MemberMenu({
  meeting,
  member,
  permissions,
}: Pick<MemberRowProps, 'meeting' | 'member' | 'permissions'>) {
  const may = (permission: string) => permissions.includes(permission)
  if (!['room.member.audio_mute', 'room.member.video_mute', 'room.member.remove'].some(may)) return null
  return (
    <Menu
      trigger={
        <IconButton label={`More about ${member.name}`} className="-mr-1 size-9">
          <EllipsisVertical className="size-4.5" />
        </IconButton>
      }
    >
      {may('room.member.audio_mute') && (
        <MenuItem
          icon={<MicOff className="size-4" />}
          disabled={member.audioMuted}
          onSelect={() => void meeting.muteMember(member.id, 'audio')}
        >
          Mute microphone
        </MenuItem>
      )}
      {may('room.member.video_mute') && (
        <MenuItem
          icon={<VideoOff className="size-4" />}
          disabled={member.videoMuted}
          onSelect={() => void meeting.muteMember(member.id, 'video')}
        >
          Turn camera off
        </MenuItem>
      )}
      {may('room.member.remove') && (
        <MenuItem
          icon={<UserMinus className="size-4" />}
          danger
          onSelect={() => void meeting.removeMember(member.id)}
        >
          Remove from the room
        </MenuItem>
      )}
    </Menu>
  )
}
