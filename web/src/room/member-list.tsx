import { Hand, Mic, MicOff, MonitorUp, Pin, UserPlus, VideoOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { isPinned } from './allowed.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { MemberMenu } from './member-menu.tsx'
import { handsFirst, type MeetingMember, peopleOf } from './members.ts'

interface MemberListProps {
  meeting: Meeting
  state: MeetingState
  onInvite?: () => void
  /** Who watches. */
  audience: ReactNode
}

/** The list of people in the meeting, raised hands first. Moderators find their controls here. */
export function MemberList({ meeting, state, onInvite, audience }: MemberListProps) {
  const people = handsFirst(peopleOf(state.members), state.hands)
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
            state={state}
            sharing={sharing.has(member.id)}
          />
        ))}
      </ul>
      {audience}
    </div>
  )
}

interface MemberRowProps {
  meeting: Meeting
  state: MeetingState
  member: MeetingMember
  sharing: boolean
}

function MemberRow({ meeting, state, member, sharing }: MemberRowProps) {
  const place = state.hands.indexOf(member.id) + 1
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
        {member.id === state.selfId && <span className="text-ink-soft"> (you)</span>}
      </span>
      <span className="flex shrink-0 items-center gap-2 text-ink-soft">
        {place > 0 && (
          <span
            role="img"
            aria-label={`hand raised, number ${place}`}
            className="inline-flex items-center gap-0.5 text-sm font-semibold text-warning-ink tabular-nums"
          >
            <Hand className="size-4.5" />
            {place}
          </span>
        )}
        {isPinned(member) && <Pin role="img" aria-label="pinned" className="size-4.5 text-accent" />}
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
      <MemberMenu meeting={meeting} state={state} member={member} />
    </li>
  )
}
