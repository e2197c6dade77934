import { Lock } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { loadTexts } from '../languages/current-language.ts'
import { t } from '../languages/texts.ts'
import { useMediaQuery } from '../use-media-query.ts'
import { type Allowed, allowedIn } from './allowed.ts'
import { AudienceCount } from './audience.tsx'
import { ChatAnnouncer } from './chat/chat-announcer.tsx'
import { ChatPanel } from './chat/chat-panel.tsx'
import { useChat } from './chat/use-chat.ts'
import { ConnectionBanner } from './connection-banner.tsx'
import { Controls } from './controls.tsx'
import { LanguagePanel } from './language-panel.tsx'
import { LayoutPanel } from './layout-panel.tsx'
import type { LeaveReason } from './leave-reason.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { MemberList } from './member-list.tsx'
import { peopleOf } from './members.ts'
import { MutedHint } from './muted-speech/muted-hint.tsx'
import { Panel } from './panel.tsx'
import { type PanelName, panelTitles } from './panel-name.ts'
import { PeopleAnnouncer } from './people-announcer.tsx'
import { PlaybackPanel } from './playback-panel.tsx'
import { QualityBars } from './quality/quality-bars.tsx'
import { ReactionAnnouncer } from './reactions/reaction-announcer.tsx'
import { ReactionsOffPicture } from './reactions/reactions-off-picture.tsx'
import { RecordingBadge } from './recording-badge.tsx'
import { useShortcuts } from './shortcuts/use-shortcuts.ts'
import { SoundBlocked } from './sound-blocked.tsx'
import { Stage } from './stage.tsx'
import { StreamPanel } from './streaming/stream-panel.tsx'
import { StreamingBadge } from './streaming/streaming-badge.tsx'
import { useSurroundings } from './surroundings.ts'
import { useWakeLock } from './use-wake-lock.ts'

const ShortcutList = lazy(async () => {
  const [{ ShortcutList }] = await Promise.all([import('./shortcuts/shortcut-list.tsx'), loadTexts('panels')])
  return { default: ShortcutList }
})
const SettingsDialog = lazy(async () => {
  const [{ SettingsDialog }] = await Promise.all([
    import('./settings/settings-dialog.tsx'),
    loadTexts('panels', 'settings', 'effects'),
  ])
  return { default: SettingsDialog }
})

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
  const around = useSurroundings()
  const hasChat = useChat(meeting.chat).is !== 'off' && around.chat
  const panel = asked !== null && mayShow(asked, allowed, hasChat) ? asked : null
  const stage = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<'shortcuts' | 'settings' | null>(null)
  useShortcuts(meeting, state, {
    onChat: () => setPanel(panel === 'chat' ? null : 'chat'),
    onList: () => setDialog('shortcuts'),
  })
  useWakeLock()
  // The button that had the focus is gone with its screen.
  useEffect(() => {
    if (document.activeElement === document.body) stage.current?.focus({ preventScroll: true })
  }, [])

  useEffect(() => {
    if (state.phase === 'left') onLeft(state.reason ?? 'unknown')
  }, [state.phase, state.reason, onLeft])

  const content: Record<PanelName, () => ReactNode> = {
    chat: () => <ChatPanel chat={meeting.chat} />,
    people: () => (
      <MemberList
        meeting={meeting}
        state={state}
        {...(onInvite ? { onInvite } : {})}
        audience={showAudience?.(meeting, state) ?? <AudienceCount count={state.audienceCount} />}
      />
    ),
    layout: () => <LayoutPanel meeting={meeting} state={state} />,
    stream: () => <StreamPanel meeting={meeting} state={state} />,
    playback: () => <PlaybackPanel meeting={meeting} state={state} />,
    language: () => <LanguagePanel />,
  }
  return (
    <div className="flex h-dvh flex-col pr-[env(safe-area-inset-right)] pl-[env(safe-area-inset-left)] sideways:relative sideways:flex-row">
      <header className="flex min-h-14 shrink-0 items-center gap-3 px-4 pt-[env(safe-area-inset-top)] sm:px-6 upright:min-h-11 sideways:absolute sideways:top-1.5 sideways:z-2 sideways:min-h-0 sideways:px-2">
        <h1 className="min-w-0 truncate font-semibold tracking-tight sideways:sr-only">
          {state.title ?? roomTitle}
        </h1>
        <span className="shrink-0 text-sm text-ink-soft sideways:sr-only">
          {t('meeting.people-count', { count: people.length })}
        </span>
        {state.settings.locked && (
          <Lock
            role="img"
            aria-label={t('meeting.room-is-locked')}
            className="size-4 shrink-0 text-ink-soft sideways:box-content sideways:rounded-full sideways:bg-surface sideways:p-1.5"
          />
        )}
        <PeopleAnnouncer people={people} />
        <ReactionAnnouncer reactions={state.reactions} selfId={state.selfId} />
        {hasChat && <ChatAnnouncer chat={meeting.chat} />}
        <span className="flex-1 sideways:hidden" />
        {state.role === 'audience' && (
          <span className="shrink-0 rounded-full bg-accent-soft px-3 py-1 text-sm font-medium text-accent">
            {t('meeting.you-are-watching')}
          </span>
        )}
        <QualityBars meeting={meeting} state={state} />
        {state.streaming && <StreamingBadge />}
        {state.recording !== null && (
          <RecordingBadge
            recording={state.recording}
            onPause={allowed.record ? (paused) => void meeting.media.pauseRecording(paused) : null}
          />
        )}
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 gap-4 sm:px-4 sideways:px-0">
        <main
          ref={stage}
          tabIndex={-1}
          className="relative min-w-0 flex-1 outline-none"
          aria-label={t('meeting.meeting')}
        >
          <Stage meeting={meeting} state={state} />
          <MutedHint speech={meeting.mutedSpeech} />
          <ReactionsOffPicture reactions={state.reactions} tiles={state.tiles} />
          {!(state.connected && state.pictureFlows) && (
            <ConnectionBanner
              retryAtMs={state.retryAtMs}
              isPictureOnly={state.connected}
              onTryNow={() => meeting.tryNow()}
            />
          )}
          {state.soundBlocked && <SoundBlocked onPlay={() => void meeting.playSound()} />}
        </main>
        {panel && (
          <Panel
            key={panel}
            title={t(panelTitles[panel])}
            beside={wide}
            fills={panel === 'chat'}
            onClose={() => setPanel(null)}
          >
            {content[panel]()}
          </Panel>
        )}
      </div>
      <Suspense>
        {dialog === 'shortcuts' && <ShortcutList onClose={() => setDialog(null)} />}
        {dialog === 'settings' && <SettingsDialog meeting={meeting} onClose={() => setDialog(null)} />}
      </Suspense>
      <footer className="grid shrink-0">
        <Controls
          meeting={meeting}
          state={state}
          panel={panel}
          onPanel={setPanel}
          onShortcuts={() => setDialog('shortcuts')}
          onSettings={() => setDialog('settings')}
        />
      </footer>
    </div>
  )
}

/** A panel closes when its permission is taken away. */
function mayShow(panel: PanelName, { layouts, play, stream }: Allowed, hasChat: boolean): boolean {
  return { chat: hasChat, people: true, layout: layouts, playback: play, stream, language: true }[panel]
}
