import { Lock } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useMediaQuery } from '../use-media-query.ts'
import { type Allowed, allowedIn } from './allowed.ts'
import { AudienceCount } from './audience.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Controls } from './controls.tsx'
import { LayoutPanel } from './layout-panel.tsx'
import type { LeaveReason } from './leave-reason.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { MemberList } from './member-list.tsx'
import { peopleOf } from './members.ts'
import { Panel } from './panel.tsx'
import { type PanelName, panelTitles } from './panel-name.ts'
import { PeopleAnnouncer } from './people-announcer.tsx'
import { PlaybackPanel } from './playback-panel.tsx'
import { RecordingBadge } from './recording-badge.tsx'
import { SoundBlocked } from './sound-blocked.tsx'
import { Stage } from './stage.tsx'
import { useWakeLock } from './use-wake-lock.ts'

/** Shows who watches. Given by those who can ask the API for it. */
export type ShowAudience = (meeting: Meeting, state: MeetingState) => ReactNode

interface MeetingScreenProps {
  meeting: Meeting
  roomTitle: string
  onInvite?: () => void
  showAudience?: ShowAudience
  onLeft: (reason: LeaveReason) => void
}

/** The room: the composed picture, the people, and the controls. */
export function MeetingScreen(props: MeetingScreenProps) {
  const { meeting, roomTitle, onInvite, showAudience, onLeft } = props
  const state = useSyncExternalStore(meeting.subscribe, meeting.snapshot)
  const [asked, setPanel] = useState<PanelName | null>(null)
  const wide = useMediaQuery('(min-width: 60rem)')
  const people = peopleOf(state.members)
  const allowed = allowedIn(state)
  const panel = asked !== null && mayShow(asked, allowed) ? asked : null
  const stage = useRef<HTMLElement>(null)
  useWakeLock()
  // The button that had the focus is gone with its screen.
  useEffect(() => {
    if (document.activeElement === document.body) stage.current?.focus({ preventScroll: true })
  }, [])

  useEffect(() => {
    if (state.phase === 'left') onLeft(state.reason ?? 'unknown')
  }, [state.phase, state.reason, onLeft])

  const content: Record<PanelName, () => ReactNode> = {
    people: () => (
      <MemberList
        meeting={meeting}
        state={state}
        {...(onInvite ? { onInvite } : {})}
        audience={showAudience?.(meeting, state) ?? <AudienceCount count={state.audienceCount} />}
      />
    ),
    layout: () => <LayoutPanel meeting={meeting} state={state} />,
    playback: () => <PlaybackPanel meeting={meeting} state={state} />,
  }
  return (
    <div className="flex h-dvh flex-col pr-[env(safe-area-inset-right)] pl-[env(safe-area-inset-left)] sideways:relative sideways:flex-row">
      <header className="flex min-h-14 shrink-0 items-center gap-3 px-4 pt-[env(safe-area-inset-top)] sm:px-6 upright:min-h-11 sideways:absolute sideways:top-1.5 sideways:z-2 sideways:min-h-0 sideways:px-2">
        <h1 className="min-w-0 truncate font-semibold tracking-tight sideways:sr-only">
          {state.title ?? roomTitle}
        </h1>
        <span className="shrink-0 text-sm text-ink-soft sideways:sr-only">
          {people.length === 1 ? '1 person' : `${people.length} people`}
        </span>
        {state.settings.locked && (
          <Lock
            role="img"
            aria-label="The room is locked"
            className="size-4 shrink-0 text-ink-soft sideways:box-content sideways:rounded-full sideways:bg-surface sideways:p-1.5"
          />
        )}
        <PeopleAnnouncer people={people} />
        <span className="flex-1 sideways:hidden" />
        {state.role === 'audience' && (
          <span className="shrink-0 rounded-full bg-accent-soft px-3 py-1 text-sm font-medium text-accent">
            You are watching
          </span>
        )}
        {state.recording !== null && (
          <RecordingBadge
            recording={state.recording}
            onPause={allowed.record ? (paused) => void meeting.media.pauseRecording(paused) : null}
          />
        )}
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 gap-4 sm:px-4 sideways:px-0">
        <main ref={stage} tabIndex={-1} className="relative min-w-0 flex-1 outline-none" aria-label="Meeting">
          <Stage meeting={meeting} state={state} />
          {!state.connected && (
            <ConnectionBanner retryAtMs={state.retryAtMs} onTryNow={() => meeting.tryNow()} />
          )}
          {state.soundBlocked && <SoundBlocked onPlay={() => void meeting.playSound()} />}
        </main>
        {panel && (
          <Panel key={panel} title={panelTitles[panel]} beside={wide} onClose={() => setPanel(null)}>
            {content[panel]()}
          </Panel>
        )}
      </div>
      <footer className="grid shrink-0">
        <Controls meeting={meeting} state={state} panel={panel} onPanel={setPanel} />
      </footer>
    </div>
  )
}

/** A panel closes when its permission is taken away. */
function mayShow(panel: PanelName, { layouts, play }: Allowed): boolean {
  return panel === 'people' || (panel === 'layout' ? layouts : play)
}
