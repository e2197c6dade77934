import { Camera, Mic, Volume2 } from 'lucide-react'
import { t } from '../languages/texts.ts'
import { Select } from '../ui/select.tsx'
import type { Choices } from './choices.ts'
import { canPickSpeaker, deviceOptions } from './device-options.ts'
import type { ListedDevice } from './local-media-machine.ts'

interface DevicePickersProps {
  devices: readonly ListedDevice[]
  choices: Choices
  /** The running devices. They may differ from an earlier choice. */
  running: { cameraId: string | null; microphoneId: string | null }
  onPick: (part: Partial<Choices>) => void
}

/** Lets the person select camera, microphone and speaker, if there are several. */
export function DevicePickers({ devices, choices, running, onPick }: DevicePickersProps) {
  const cameras = deviceOptions(devices, 'videoinput')
  const microphones = deviceOptions(devices, 'audioinput')
  const speakers = deviceOptions(devices, 'audiooutput')
  const known = (options: readonly { value: string }[], ...ids: (string | null)[]) =>
    ids.find((id) => options.some((option) => option.value === id)) ?? options[0]?.value ?? ''

  return (
    <div className="space-y-3">
      {cameras.length > 0 && (
        <Select
          label={t('guest.camera')}
          labelHidden
          icon={<Camera aria-hidden className="size-4.5 text-ink-soft" />}
          value={known(cameras, running.cameraId, choices.cameraId)}
          options={cameras}
          onChange={(cameraId) => onPick({ cameraId })}
        />
      )}
      {microphones.length > 0 && (
        <Select
          label={t('guest.microphone')}
          labelHidden
          icon={<Mic aria-hidden className="size-4.5 text-ink-soft" />}
          value={known(microphones, running.microphoneId, choices.microphoneId)}
          options={microphones}
          onChange={(microphoneId) => onPick({ microphoneId })}
        />
      )}
      {canPickSpeaker() && speakers.length > 0 && (
        <Select
          label={t('guest.speaker')}
          labelHidden
          icon={<Volume2 aria-hidden className="size-4.5 text-ink-soft" />}
          value={known(speakers, choices.speakerId)}
          options={speakers}
          onChange={(speakerId) => onPick({ speakerId })}
        />
      )}
    </div>
  )
}
