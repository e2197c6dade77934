import { Settings2, SlidersHorizontal } from 'lucide-react'
import { canPickSpeaker, deviceOptions } from '../green-room/device-options.ts'
import { t } from '../languages/texts.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { MenuLine } from '../ui/menu-check.tsx'
import { MenuChoice } from '../ui/menu-choice.tsx'
import { controlClass } from './control-button.tsx'
import type { Meeting } from './meeting.ts'
import type { CanSend } from './meeting-state.ts'
import { useDeviceChoices } from './use-device-choices.ts'

interface DeviceMenuProps {
  meeting: Meeting
  canSend: CanSend
  onSettings: () => void
}

/** Lets the person change camera, microphone or speaker during the meeting. */
export function DeviceMenu({ meeting, canSend, onSettings }: DeviceMenuProps) {
  const { devices, choices, pick } = useDeviceChoices(meeting)
  const cameras = canSend.video ? deviceOptions(devices, 'videoinput') : []
  const microphones = canSend.audio ? deviceOptions(devices, 'audioinput') : []
  const speakers = canPickSpeaker() ? deviceOptions(devices, 'audiooutput') : []
  const first = (options: { value: string }[], chosen: string | null) =>
    options.find((option) => option.value === chosen)?.value ?? options[0]?.value ?? ''

  return (
    <Menu
      side="top"
      align="center"
      trigger={
        <button type="button" aria-label={t('meeting.devices')} className={controlClass('plain')}>
          <Settings2 className="size-5" />
          <span aria-hidden className="hidden text-xs font-medium sm:block sideways:hidden">
            {t('meeting.devices-caption')}
          </span>
        </button>
      }
    >
      {cameras.length > 0 && (
        <MenuChoice
          label={t('guest.camera')}
          value={first(cameras, choices.cameraId)}
          options={cameras}
          onChange={(cameraId) => pick({ cameraId })}
        />
      )}
      {microphones.length > 0 && (
        <MenuChoice
          label={t('guest.microphone')}
          value={first(microphones, choices.microphoneId)}
          options={microphones}
          onChange={(microphoneId) => pick({ microphoneId })}
        />
      )}
      {speakers.length > 0 && (
        <MenuChoice
          label={t('guest.speaker')}
          value={first(speakers, choices.speakerId)}
          options={speakers}
          onChange={(speakerId) => pick({ speakerId })}
        />
      )}
      {cameras.length + microphones.length + speakers.length > 0 && <MenuLine />}
      <MenuItem icon={<SlidersHorizontal className="size-4" />} onSelect={onSettings}>
        {t('panels.settings')}
      </MenuItem>
    </Menu>
  )
}
