import { useEffect, useState, useSyncExternalStore } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { useMediaQuery } from '../use-media-query.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { Controls } from './controls.tsx'
import type { LeaveReason } from './leave-reason.ts'
import type { Meeting } from './meeting.ts'
import { MemberList } from './member-list.tsx'
import { peopleOf } from './members.ts'
import { PeopleAnnouncer } from './people-announcer.tsx'
import { RecordingBadge } from './recording-badge.tsx'
import { SoundBlocked } from './sound-blocked.tsx'
import { Stage } from './stage.tsx'
import { useWakeLock } from './use-wake-lock.ts'

interface MeetingScreenProps {
  meeting: Meeting
  roomTitle: string
  onInvite?: () => void
  onLeft: (reason: LeaveReason) => void
}

/** The room: the composed picture, the people, and the controls. */
export function MeetingScreen({ meeting, roomTitle, onInvite, onLeft }: MeetingScreenProps) {
  const state = useSyncExternalStore(meeting.subscribe, meeting.snapshot)
  const [showPeople, setShowPeople] = useState(false)
  const wide = useMediaQuery('(min-width: 60rem)')
  const people = peopleOf(state.members)
  useWakeLock()

  useEffect(() => {
    if (state.phase === 'left') onLeft(state.reason ?? 'unknown')
  }, [state.phase, state.reason, onLeft])

  const memberList = <MemberList meeting={meeting} state={state} {...(onInvite ? { onInvite } : {})} />
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex h-14 shrink-0 items-center gap-3 px-4 sm:px-6">
        <h1 className="min-w-0 truncate font-semibold tracking-tight">{state.title ?? roomTitle}</h1>
        <span className="shrink-0 text-sm text-ink-soft">
          {people.length === 1 ? '1 person' : `${people.length} people`}
        </span>
        <PeopleAnnouncer people={people} />
        <span className="flex-1" />
        {state.recordingSince !== null && <RecordingBadge since={state.recordingSince} />}
      </header>
      <div className="flex min-h-0 flex-1 gap-4 px-2 sm:px-4">
        <main className="relative min-w-0 flex-1" aria-label="Meeting">
          <Stage meeting={meeting} state={state} />
          {!state.connected && (
            <ConnectionBanner retryAtMs={state.retryAtMs} onTryNow={() => meeting.tryNow()} />
          )}
          {state.soundBlocked && <SoundBlocked onPlay={() => void meeting.playSound()} />}
        </main>
        {wide && showPeople && (
          <aside
            aria-label="People"
            className="w-80 shrink-0 overflow-y-auto rounded-xl border border-line bg-surface p-4"
          >
            <h2 className="mb-3 font-semibold tracking-tight">People</h2>
            {memberList}
          </aside>
        )}
      </div>
      {!wide && (
        <Dialog open={showPeople} onOpenChange={setShowPeople} title="People">
          {memberList}
        </Dialog>
      )}
      <Controls
        meeting={meeting}
        state={state}
        peopleShown={showPeople}
        onPeople={() => setShowPeople(!showPeople)}
      />
    </div>
  )
}
