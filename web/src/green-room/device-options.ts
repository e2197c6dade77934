import { t } from '../languages/texts.ts'
import type { ListedDevice } from './local-media-machine.ts'

const numbered = {
  videoinput: 'guest.camera-numbered',
  audioinput: 'guest.microphone-numbered',
  audiooutput: 'guest.speaker-numbered',
} as const

/** The devices of one kind, as options. Devices whose names the browser still hides get numbers. */
export function deviceOptions(
  devices: readonly ListedDevice[],
  kind: MediaDeviceKind,
): { value: string; label: string }[] {
  return devices
    .filter((device) => device.kind === kind && device.deviceId !== '')
    .map((device, index) => ({
      value: device.deviceId,
      label: device.label || t(numbered[kind], { number: index + 1 }),
    }))
}

/** Whether this browser lets a page select the loudspeaker. */
export function canPickSpeaker(): boolean {
  return 'setSinkId' in HTMLMediaElement.prototype
}
