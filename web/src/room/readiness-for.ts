import { loadChoices } from '../green-room/choices.ts'
import { LocalMedia } from '../green-room/local-media.ts'
import { type Readiness, readinessToWatch } from '../green-room/readiness.ts'

/**
 * Opens only the devices that were on before.
 * @param before which devices were on, and the chosen name, which another window may have changed since
 */
export async function readinessFor(before: {
  cameraOn: boolean
  microphoneOn: boolean
  name?: string
  watches?: boolean
}): Promise<Readiness> {
  if (before.watches) return readinessToWatch()
  const { cameraOn, microphoneOn } = before
  const kept = loadChoices()
  const choices = { ...kept, cameraOn, microphoneOn, name: before.name ?? kept.name }
  const media = new LocalMedia()
  await media.start(choices)
  const { camera, microphone } = media.snapshot()
  return {
    choices,
    cameraUsable: camera.is !== 'problem',
    microphoneUsable: microphone.is !== 'problem',
    tracks: media.release(),
  }
}
