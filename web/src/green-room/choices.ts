import { readStored, writeStored } from '../browser-storage.ts'

/** The choices in the green room. The device keeps them for the next time. */
export interface Choices {
  name: string
  cameraOn: boolean
  microphoneOn: boolean
  /** Device ids; null is the browser's default. */
  cameraId: string | null
  microphoneId: string | null
  speakerId: string | null
}

const storageKey = 'parley.choices'

const initial: Choices = {
  name: '',
  cameraOn: true,
  microphoneOn: true,
  cameraId: null,
  microphoneId: null,
  speakerId: null,
}

/** The last choices on this device. Defaults if there are none, or if the browser stores nothing. */
export function loadChoices(): Choices {
  try {
    const stored: unknown = JSON.parse(readStored('device', storageKey) ?? '{}')
    return stored && typeof stored === 'object' ? { ...initial, ...stored } : initial
  } catch {
    return initial
  }
}

/** Keeps the choices for the next time, if the browser allows it. */
export function saveChoices(choices: Choices): void {
  writeStored('device', storageKey, JSON.stringify(choices))
}
