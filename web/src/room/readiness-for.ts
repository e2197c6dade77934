import { loadChoices } from '../green-room/choices.ts'
import type { Readiness } from '../green-room/green-room.tsx'
import { LocalMedia } from '../green-room/local-media.ts'

/**
 * Opens the devices that were on before, and no other.
 * @param before what was on, and the name that was chosen, where another window may have changed it since
 */
export async function readinessFor(before: {
  cameraOn: boolean
  microphoneOn: boolean
  name?: string
}): Promise<Readiness> {
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
