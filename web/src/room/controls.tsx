import {
  CircleDot,
  Hand,
  LayoutGrid,
  Mic,
  MicOff,
  MonitorUp,
  MonitorX,
  PhoneOff,
  Square,
  Users,
  Video,
  VideoOff,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { useMediaQuery } from '../use-media-query.ts'
import { allowedIn } from './allowed.ts'
import { ChatButton } from './chat/chat-button.tsx'
import { ControlButton } from './control-button.tsx'
import { DeviceMenu } from './device-menu.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { MoreMenu } from './more-menu.tsx'
import type { PanelName } from './panel-name.ts'
import { ReactionPicker } from './reactions/reaction-picker.tsx'
import { useSurroundings } from './surroundings.ts'

interface ControlsProps {
  meeting: Meeting
  state: MeetingState
  /** The panel that is shown. */
  panel: PanelName | null
  onPanel: (panel: PanelName | null) => void
  onShortcuts: () => void
  onSettings: () => void
}

/** All controls of the meeting, in one row. On a phone, what is needed less often is in the menu. */
export function Controls({ meeting, state, panel, onPanel, onShortcuts, onSettings }: ControlsProps) {
  const roomy = useMediaQuery('(min-width: 40rem)')
  const allowed = allowedIn(state)
  const canShare =
    state.permissions.includes('room.self.screenshare') && 'getDisplayMedia' in (navigator.mediaDevices ?? {})
  const hands = state.hands.length
  const around = useSurroundings()

  return (
    <fieldset
      aria-label={t('meeting.controls')}
      className="flex shrink-0 items-center justify-center gap-1.5 px-2 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:gap-3 sm:pb-[max(1.25rem,env(safe-area-inset-bottom))] upright:pt-2 sideways:grid sideways:grid-cols-[3rem_3rem] sideways:content-center sideways:gap-2 sideways:px-2 sideways:py-1"
    >
      {state.role === 'member' && <MuteButtons meeting={meeting} state={state} />}
      {canShare && (
        <ControlButton
          label={t(state.sharing === 'on' ? 'meeting.share-stop' : 'meeting.share-start')}
          caption={t(state.sharing === 'on' ? 'meeting.share-stop-caption' : 'meeting.share-caption')}
          tone={state.sharing === 'on' ? 'on' : 'plain'}
          disabled={state.sharing === 'starting'}
          onClick={() => (state.sharing === 'on' ? meeting.stopSharing() : meeting.startSharing())}
        >
          {state.sharing === 'on' ? <MonitorX className="size-5" /> : <MonitorUp className="size-5" />}
        </ControlButton>
      )}
      {allowed.hand && <HandButton meeting={meeting} state={state} />}
      {roomy && <ReactionPicker room={meeting.room} />}
      {roomy && allowed.record && <RecordButton meeting={meeting} recording={state.recording !== null} />}
      {roomy && allowed.layouts && (
        <PanelButton panel="layout" texts="layouts" shown={panel} onPanel={onPanel}>
          <LayoutGrid className="size-5" />
        </PanelButton>
      )}
      {around.memberList && (
        <PanelButton panel="people" texts="people" shown={panel} onPanel={onPanel}>
          <Users className="size-5" />
          {hands > 0 && (
            <span className="absolute -top-1.5 -end-1.5 grid h-5 min-w-5 place-items-center rounded-full bg-hand px-1 text-xs font-semibold text-on-hand">
              <span className="sr-only">{t('meeting.raised-hands', { count: hands })}</span>
              <span aria-hidden>{numberText(hands)}</span>
            </span>
          )}
        </PanelButton>
      )}
      {around.chat && (
        <ChatButton
          chat={meeting.chat}
          isShown={panel === 'chat'}
          onToggle={() => onPanel(panel === 'chat' ? null : 'chat')}
        />
      )}
      {around.devicePicker && (
        <DeviceMenu meeting={meeting} canSend={state.canSend} onSettings={onSettings} />
      )}
      <MoreMenu meeting={meeting} state={state} roomy={roomy} onPanel={onPanel} onShortcuts={onShortcuts} />
      <ControlButton
        label={t('meeting.leave-room')}
        caption={t('meeting.leave-caption')}
        tone="leave"
        onClick={() => meeting.leave()}
      >
        <PhoneOff className="size-5" />
      </ControlButton>
    </fieldset>
  )
}

function MuteButtons({ meeting, state }: Pick<ControlsProps, 'meeting' | 'state'>) {
  const self = state.members.find((member) => member.id === state.selfId)
  const audioMuted = self?.audioMuted ?? true
  const videoMuted = self?.videoMuted ?? true
  return (
    <>
      <ControlButton
        label={t(audioMuted ? 'guest.microphone-turn-on' : 'guest.microphone-turn-off')}
        caption={t('guest.microphone')}
        tone={audioMuted ? 'off' : 'plain'}
        disabled={!state.canSend.audio}
        disabledBecause={t('meeting.joined-without-microphone')}
        onClick={() => meeting.setMuted('audioMuted', !audioMuted)}
      >
        {audioMuted ? <MicOff className="size-5" /> : <Mic className="size-5" />}
      </ControlButton>
      <ControlButton
        label={t(videoMuted ? 'guest.camera-turn-on' : 'guest.camera-turn-off')}
        caption={t('guest.camera')}
        tone={videoMuted ? 'off' : 'plain'}
        disabled={!state.canSend.video}
        disabledBecause={t('meeting.joined-without-camera')}
        onClick={() => meeting.setMuted('videoMuted', !videoMuted)}
      >
        {videoMuted ? <VideoOff className="size-5" /> : <Video className="size-5" />}
      </ControlButton>
    </>
  )
}

function HandButton({ meeting, state }: Pick<ControlsProps, 'meeting' | 'state'>) {
  const { selfId } = state
  if (selfId === null) return null
  const raised = state.hands.includes(selfId)
  return (
    <ControlButton
      label={t('meeting.raise-hand')}
      caption={t('meeting.hand-caption')}
      tone={raised ? 'on' : 'plain'}
      pressed={raised}
      onClick={() => meeting.room.setHand(selfId, !raised)}
    >
      <Hand className="size-5" />
    </ControlButton>
  )
}

interface PanelButtonProps {
  panel: PanelName
  texts: 'people' | 'layouts'
  shown: PanelName | null
  onPanel: (panel: PanelName | null) => void
  children: ReactNode
}

function PanelButton({ panel, texts, shown, onPanel, children }: PanelButtonProps) {
  const isShown = shown === panel
  return (
    <ControlButton
      label={t(`meeting.${texts}-${isShown ? 'hide' : 'show'}`)}
      caption={t(`meeting.${texts}-caption`)}
      tone={isShown ? 'on' : 'plain'}
      pressed={isShown}
      onClick={() => onPanel(isShown ? null : panel)}
    >
      {children}
    </ControlButton>
  )
}

function RecordButton({ meeting: { media }, recording }: { meeting: Meeting; recording: boolean }) {
  const [busy, setBusy] = useState(false)
  return (
    <ControlButton
      label={t(recording ? 'meeting.recording-stop' : 'meeting.recording-start')}
      caption={t('meeting.recording')}
      tone={recording ? 'recording' : 'plain'}
      disabled={busy}
      onClick={async () => {
        setBusy(true)
        await (recording ? media.stopRecording() : media.startRecording())
        setBusy(false)
      }}
    >
      {recording ? <Square className="size-4.5 fill-current" /> : <CircleDot className="size-5" />}
    </ControlButton>
  )
}
