import { loadChoices } from '../green-room/choices.ts'
import type { Readiness } from '../green-room/green-room.tsx'
import { LocalMedia } from '../green-room/local-media.ts'

/** Opens the devices that were on before, and no other. */
export async function readinessFor(on: { cameraOn: boolean; microphoneOn: boolean }): Promise<Readiness> {
  const choices = { ...loadChoices(), cameraOn: on.cameraOn, microphoneOn: on.microphoneOn }
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

/** The devices of somebody who is on the way back, for as many attempts as it takes. */
export class KeptDevices {
  readonly #ready: Readiness
  #released = false

  /** @param ready its tracks belong to this from now on */
  constructor(ready: Readiness) {
    this.#ready = ready
  }

  /** A set for one attempt, which owns the tracks in it. After a release the devices are opened again. */
  async take(): Promise<Readiness> {
    if (!this.#released) return { ...this.#ready, tracks: this.#ready.tracks.map((track) => track.clone()) }
    const isOn = (kind: string) => this.#ready.tracks.some((track) => track.kind === kind)
    const opened = await readinessFor({ cameraOn: isOn('video'), microphoneOn: isOn('audio') })
    return { ...opened, choices: { ...opened.choices, name: this.#ready.choices.name } }
  }

  /** Lets go of camera and microphone: their lights go out. */
  release(): void {
    this.#released = true
    for (const track of this.#ready.tracks) track.stop()
  }
}
