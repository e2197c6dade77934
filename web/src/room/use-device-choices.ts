import { useEffect, useState } from 'react'
import { type Choices, loadChoices, saveChoices } from '../green-room/choices.ts'
import type { Meeting } from './meeting.ts'

interface DeviceChoices {
  devices: readonly MediaDeviceInfo[]
  choices: Choices
  /** Uses these from now on, and remembers them. */
  pick(part: Partial<Choices>): void
}

/** The devices that there are, and which of them the meeting uses. */
export function useDeviceChoices(meeting: Meeting): DeviceChoices {
  const devices = useDevices()
  const [choices, setChoices] = useState(loadChoices)

  function pick(part: Partial<Choices>): void {
    const changed = { ...choices, ...part }
    setChoices(changed)
    saveChoices(changed)
    if (part.cameraId) void meeting.changeCamera(part.cameraId)
    if (part.microphoneId) void meeting.changeMicrophone(part.microphoneId)
    if (part.speakerId) void meeting.changeSpeaker(part.speakerId)
  }

  return { devices, choices, pick }
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
