const nouns = { videoinput: 'Camera', audioinput: 'Microphone', audiooutput: 'Speaker' } as const

/** The devices of one kind, to choose from. Devices whose names the browser still hides are numbered. */
export function deviceOptions(
  devices: readonly Pick<MediaDeviceInfo, 'kind' | 'deviceId' | 'label'>[],
  kind: MediaDeviceKind,
): { value: string; label: string }[] {
  return devices
    .filter((device) => device.kind === kind && device.deviceId !== '')
    .map((device, index) => ({
      value: device.deviceId,
      label: device.label || `${nouns[kind]} ${index + 1}`,
    }))
}

/** Whether this browser lets a page choose where its sound goes. */
export function canPickSpeaker(): boolean {
  return 'setSinkId' in HTMLMediaElement.prototype
}
