import {
  CircleDot,
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
import { useState } from 'react'
import { ControlButton } from './control-button.tsx'
import { DeviceMenu } from './device-menu.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'

interface ControlsProps {
  meeting: Meeting
  state: MeetingState
  peopleShown: boolean
  onPeople: () => void
}

/** All controls of the meeting, in one row. */
export function Controls({ meeting, state, peopleShown, onPeople }: ControlsProps) {
  const self = state.members.find((member) => member.id === state.selfId)
  const audioMuted = self?.audioMuted ?? true
  const videoMuted = self?.videoMuted ?? true
  const may = (permission: string) => state.permissions.includes(permission)
  const recording = state.recordingSince !== null
  const canShare = may('room.self.screenshare') && 'getDisplayMedia' in (navigator.mediaDevices ?? {})

  return (
    <fieldset
      aria-label="Meeting controls"
      className="flex shrink-0 items-center justify-center gap-1.5 px-2 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:gap-3 sm:pb-[max(1.25rem,env(safe-area-inset-bottom))]"
    >
      <ControlButton
        label={audioMuted ? 'Turn microphone on' : 'Turn microphone off'}
        caption={audioMuted ? 'Unmute' : 'Mute'}
        tone={audioMuted ? 'off' : 'plain'}
        disabled={!meeting.canSend.audio}
        disabledBecause="You joined without a microphone. Leave and join again to use one."
        onClick={() => meeting.setMuted('audioMuted', !audioMuted)}
      >
        {audioMuted ? <MicOff className="size-5" /> : <Mic className="size-5" />}
      </ControlButton>
      <ControlButton
        label={videoMuted ? 'Turn camera on' : 'Turn camera off'}
        caption={videoMuted ? 'Start video' : 'Stop video'}
        tone={videoMuted ? 'off' : 'plain'}
        disabled={!meeting.canSend.video}
        disabledBecause="You joined without a camera. Leave and join again to use one."
        onClick={() => meeting.setMuted('videoMuted', !videoMuted)}
      >
        {videoMuted ? <VideoOff className="size-5" /> : <Video className="size-5" />}
      </ControlButton>
      {canShare && (
        <ControlButton
          label={state.sharing === 'on' ? 'Stop sharing your screen' : 'Share your screen'}
          caption={state.sharing === 'on' ? 'Stop sharing' : 'Share'}
          tone={state.sharing === 'on' ? 'on' : 'plain'}
          disabled={state.sharing === 'starting'}
          onClick={() => (state.sharing === 'on' ? meeting.stopSharing() : meeting.startSharing())}
        >
          {state.sharing === 'on' ? <MonitorX className="size-5" /> : <MonitorUp className="size-5" />}
        </ControlButton>
      )}
      {may('room.recording') && (
        <RecordButton
          recording={recording}
          onClick={() => (recording ? meeting.stopRecording() : meeting.startRecording())}
        />
      )}
      <ControlButton
        label={peopleShown ? 'Hide people' : 'Show people'}
        caption="People"
        tone={peopleShown ? 'on' : 'plain'}
        onClick={onPeople}
        pressed={peopleShown}
      >
        <Users className="size-5" />
      </ControlButton>
      <DeviceMenu meeting={meeting} />
      <ControlButton label="Leave the room" caption="Leave" tone="leave" onClick={() => meeting.leave()}>
        <PhoneOff className="size-5" />
      </ControlButton>
    </fieldset>
  )
}

function RecordButton({ recording, onClick }: { recording: boolean; onClick: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  return (
    <ControlButton
      label={recording ? 'Stop recording' : 'Start recording'}
      caption={recording ? 'Stop rec.' : 'Record'}
      tone={recording ? 'recording' : 'plain'}
      disabled={busy}
      onClick={async () => {
        setBusy(true)
        await onClick()
        setBusy(false)
      }}
    >
      {recording ? <Square className="size-4.5 fill-current" /> : <CircleDot className="size-5" />}
    </ControlButton>
  )
}
