import { Settings2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { loadChoices, saveChoices } from '../green-room/choices.ts'
import { canPickSpeaker, deviceOptions } from '../green-room/device-options.ts'
import { Menu } from '../ui/menu.tsx'
import { MenuChoice } from '../ui/menu-choice.tsx'
import { controlClass } from './control-button.tsx'
import type { Meeting } from './meeting.ts'
import type { CanSend } from './meeting-state.ts'

/** Lets the person change camera, microphone or speaker during the meeting. */
export function DeviceMenu({ meeting, canSend }: { meeting: Meeting; canSend: CanSend }) {
  const devices = useDevices()
  const [choices, setChoices] = useState(loadChoices)

  function pick(part: Partial<typeof choices>): void {
    const changed = { ...choices, ...part }
    setChoices(changed)
    saveChoices(changed)
    if (part.cameraId) void meeting.changeCamera(part.cameraId)
    if (part.microphoneId) void meeting.changeMicrophone(part.microphoneId)
    if (part.speakerId) void meeting.changeSpeaker(part.speakerId)
  }

  const cameras = canSend.video ? deviceOptions(devices, 'videoinput') : []
  const microphones = canSend.audio ? deviceOptions(devices, 'audioinput') : []
  const speakers = canPickSpeaker() ? deviceOptions(devices, 'audiooutput') : []
  if (cameras.length + microphones.length + speakers.length === 0) return null
  const first = (options: { value: string }[], chosen: string | null) =>
    options.find((option) => option.value === chosen)?.value ?? options[0]?.value ?? ''

  return (
    <Menu
      side="top"
      align="center"
      trigger={
        <button
          type="button"
          aria-label="Devices: camera, microphone and speaker"
          className={controlClass('plain')}
        >
          <Settings2 className="size-5" />
          <span aria-hidden className="hidden text-xs font-medium sm:block sideways:hidden">
            Devices
          </span>
        </button>
      }
    >
      {cameras.length > 0 && (
        <MenuChoice
          label="Camera"
          value={first(cameras, choices.cameraId)}
          options={cameras}
          onChange={(cameraId) => pick({ cameraId })}
        />
      )}
      {microphones.length > 0 && (
        <MenuChoice
          label="Microphone"
          value={first(microphones, choices.microphoneId)}
          options={microphones}
          onChange={(microphoneId) => pick({ microphoneId })}
        />
      )}
      {speakers.length > 0 && (
        <MenuChoice
          label="Speaker"
          value={first(speakers, choices.speakerId)}
          options={speakers}
          onChange={(speakerId) => pick({ speakerId })}
        />
      )}
    </Menu>
  )
}

function useDevices(): readonly MediaDeviceInfo[] {
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  useEffect(() => {
    const list = () => void navigator.mediaDevices?.enumerateDevices().then(setDevices, () => setDevices([]))
    list()
    navigator.mediaDevices?.addEventListener('devicechange', list)
    return () => navigator.mediaDevices?.removeEventListener('devicechange', list)
  }, [])
  return devices
}
