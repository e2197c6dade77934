import { type ReactNode, useState } from 'react'
import { BlurSwitch, NoiseSelect } from '../../device-effects/effect-fields.tsx'
import { canPickSpeaker, deviceOptions } from '../../green-room/device-options.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { Slider } from '../../ui/slider.tsx'
import { Switch } from '../../ui/switch.tsx'
import { LanguagePanel } from '../language-panel.tsx'
import type { Meeting } from '../meeting.ts'
import { switchShortcuts, useShortcutsOn } from '../shortcuts/shortcuts-switch.ts'
import { useDeviceChoices } from '../use-device-choices.ts'
import { CameraTest } from './camera-test.tsx'
import { MicrophoneTest } from './microphone-test.tsx'
import { SpeakerTest } from './speaker-test.tsx'

interface SettingsDialogProps {
  meeting: Meeting
  onClose: () => void
}

/** Devices with a test for each, sound, language and keys. */
export function SettingsDialog({ meeting, onClose }: SettingsDialogProps) {
  const { devices, choices, pick } = useDeviceChoices(meeting)
  const { canSend } = meeting.snapshot()
  const isOn = useShortcutsOn()
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('settings.title')}>
      <div className="space-y-6">
        {canSend.audio && (
          <Section title={t('guest.microphone')}>
            <DeviceSelect
              label={t('guest.microphone')}
              options={deviceOptions(devices, 'audioinput')}
              chosen={choices.microphoneId}
              onChange={(microphoneId) => pick({ microphoneId })}
            />
            <MicrophoneTest choices={choices} />
            <NoiseSelect />
          </Section>
        )}
        <Section title={t('guest.speaker')}>
          {canPickSpeaker() && (
            <DeviceSelect
              label={t('guest.speaker')}
              options={deviceOptions(devices, 'audiooutput')}
              chosen={choices.speakerId}
              onChange={(speakerId) => pick({ speakerId })}
            />
          )}
          <SpeakerTest speakerId={choices.speakerId} />
          <OwnVolume meeting={meeting} />
        </Section>
        {canSend.video && (
          <Section title={t('guest.camera')}>
            <DeviceSelect
              label={t('guest.camera')}
              options={deviceOptions(devices, 'videoinput')}
              chosen={choices.cameraId}
              onChange={(cameraId) => pick({ cameraId })}
            />
            <CameraTest cameraId={choices.cameraId} />
            <BlurSwitch />
          </Section>
        )}
        <Section title={t('settings.language')}>
          <LanguagePanel />
        </Section>
        <Switch
          label={t('panels.shortcuts-on')}
          hint={t('panels.shortcuts-hint')}
          checked={isOn}
          onChange={switchShortcuts}
        />
      </div>
    </Dialog>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="space-y-3">
      <h3 className="text-sm font-semibold text-ink-soft">{title}</h3>
      {children}
    </section>
  )
}

interface DeviceSelectProps {
  label: string
  options: { value: string; label: string }[]
  chosen: string | null
  onChange: (deviceId: string) => void
}

function DeviceSelect({ label, options, chosen, onChange }: DeviceSelectProps) {
  if (options.length === 0) return null
  const value = options.find((option) => option.value === chosen)?.value ?? options[0]?.value ?? ''
  return <Select label={label} labelHidden value={value} options={options} onChange={onChange} />
}

function OwnVolume({ meeting }: { meeting: Meeting }) {
  const [volume, setVolume] = useState(meeting.ownVolume)
  return (
    <div>
      <p className="text-sm font-medium">{t('settings.volume')}</p>
      <p className="text-sm text-ink-soft">{t('settings.volume-hint')}</p>
      <Slider
        label={t('settings.volume')}
        value={volume}
        min={0}
        max={1}
        step={0.05}
        text={numberText(volume, { style: 'percent' })}
        onCommit={(next) => {
          meeting.setOwnVolume(next)
          setVolume(next)
        }}
      />
    </div>
  )
}
