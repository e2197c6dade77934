import { Hand, Mic, MicOff, MonitorUp, Pin, UserPlus, VideoOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { isPinned } from './allowed.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { MemberMenu } from './member-menu.tsx'
import { handsFirst, type MeetingMember, peopleOf } from './members.ts'
import { findPeople, SEARCH_FROM } from './people/find-people.ts'
import { ForEverybody } from './people/for-everybody.tsx'
import { PeopleSearch } from './people/people-search.tsx'

interface MemberListProps {
  meeting: Meeting
  state: MeetingState
  onInvite?: () => void
  /** Who watches. */
  audience: ReactNode
}

/** The list of people in the meeting, raised hands first. Moderators find their controls here. */
export function MemberList({ meeting, state, onInvite, audience }: MemberListProps) {
  const [typed, setTyped] = useState('')
  const people = handsFirst(peopleOf(state.members), state.hands)
  const hasSearch = people.length >= SEARCH_FROM
  const shown = hasSearch ? findPeople(people, typed) : people
  const sharing = new Set(
    state.members.filter((member) => member.type === 'screen').map((member) => member.parentId),
  )
  return (
    <div className="space-y-3">
      {onInvite && (
        <Button kind="secondary" size="small" onClick={onInvite} className="w-full">
          <UserPlus aria-hidden className="size-4.5" />
          {t('meeting.invite-somebody')}
        </Button>
      )}
      {hasSearch && <PeopleSearch typed={typed} found={shown.length} onChange={setTyped} />}
      <ul aria-label={t('meeting.people-in-room')} className="-mx-1 space-y-0.5">
        {shown.map((member) => (
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
      <ForEverybody meeting={meeting} state={state} />
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
        {member.id === state.selfId ? (
          t('meeting.name-of-self', { name: member.name })
        ) : (
          <bdi>{member.name}</bdi>
        )}
      </span>
      <span className="flex shrink-0 items-center gap-2 text-ink-soft">
        {place > 0 && (
          <span
            role="img"
            aria-label={t('meeting.hand-raised-place', { place })}
            className="inline-flex items-center gap-0.5 text-sm font-semibold text-warning-ink tabular-nums"
          >
            <Hand className="size-4.5" />
            {numberText(place)}
          </span>
        )}
        {isPinned(member) && (
          <Pin role="img" aria-label={t('meeting.is-pinned')} className="size-4.5 text-accent" />
        )}
        {sharing && (
          <MonitorUp role="img" aria-label={t('meeting.shares-screen')} className="size-4.5 text-accent" />
        )}
        {member.videoMuted && (
          <VideoOff role="img" aria-label={t('meeting.camera-off')} className="size-4.5" />
        )}
        {member.audioMuted ? (
          <MicOff role="img" aria-label={t('meeting.microphone-off')} className="size-4.5" />
        ) : (
          <Mic
            role="img"
            aria-label={t(talking ? 'meeting.is-talking' : 'meeting.microphone-on')}
            className={classNames('size-4.5', talking && 'text-live')}
          />
        )}
      </span>
      <MemberMenu meeting={meeting} state={state} member={member} />
    </li>
  )
}
