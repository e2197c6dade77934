import { type Choices, loadChoices } from './choices.ts'

/** What the green room passes on when somebody joins. */
export interface Readiness {
  choices: Choices
  /** Live tracks. The meeting owns them from now on. */
  tracks: MediaStreamTrack[]
  /** Whether there is a device that can be turned on later, even if it is off now. */
  cameraUsable: boolean
  microphoneUsable: boolean
}

/** The readiness of the audience, which sends nothing. */
export function readinessToWatch(): Readiness {
  return { choices: loadChoices(), tracks: [], cameraUsable: false, microphoneUsable: false }
}
