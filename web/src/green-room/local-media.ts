import type { Choices } from './choices.ts'
import { cameraConstraints, microphoneConstraints } from './constraints.ts'
import {
  askAgainAlone,
  type DeviceKind,
  type MediaProblem,
  mediaProblem,
  type Permission,
} from './media-problem.ts'

export type DeviceState =
  | { is: 'off' }
  | { is: 'starting' }
  | { is: 'on' }
  | { is: 'problem'; problem: MediaProblem }

export interface LocalMediaSnapshot {
  camera: DeviceState
  microphone: DeviceState
  /** Null while there is none. It is a new object whenever the track changes. */
  cameraStream: MediaStream | null
  microphoneStream: MediaStream | null
  devices: readonly MediaDeviceInfo[]
}

const trackKinds = { camera: 'video', microphone: 'audio' } as const

/**
 * The camera and the microphone of this device before joining. Off means off: the track is stopped and the camera's
 * light goes out.
 */
export class LocalMedia {
  #snapshot: LocalMediaSnapshot = {
    camera: { is: 'off' },
    microphone: { is: 'off' },
    cameraStream: null,
    microphoneStream: null,
    devices: [],
  }
  readonly #listeners = new Set<() => void>()
  /** Counts the requests per device, so that only the answer to the latest request is used. */
  readonly #attempt = { camera: 0, microphone: 0 }

  subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0)
      navigator.mediaDevices?.addEventListener('devicechange', this.#listDevices)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0)
        navigator.mediaDevices?.removeEventListener('devicechange', this.#listDevices)
    }
  }

  snapshot = (): LocalMediaSnapshot => this.#snapshot

  /** Starts the chosen devices. If the browser has to ask the person, it asks once for both. */
  async start(choices: Choices): Promise<void> {
    if (!choices.cameraOn || !choices.microphoneOn) {
      if (choices.cameraOn) await this.turnOn('camera', choices)
      if (choices.microphoneOn) await this.turnOn('microphone', choices)
      await this.#listDevices()
      return
    }
    const attempts = { camera: this.#begin('camera'), microphone: this.#begin('microphone') }
    try {
      const stream = await getUserMedia({
        video: cameraConstraints(choices.cameraId),
        audio: microphoneConstraints(choices.microphoneId),
      })
      this.#take('camera', attempts.camera, stream)
      this.#take('microphone', attempts.microphone, stream)
    } catch (error) {
      const problem = mediaProblem(error)
      const permissions = { camera: await permission('camera'), microphone: await permission('microphone') }
      const again = askAgainAlone(problem, permissions)
      for (const kind of ['camera', 'microphone'] as const) {
        if (attempts[kind] !== this.#attempt[kind]) continue
        if (again.includes(kind)) await this.turnOn(kind, choices)
        else this.#change({ [kind]: { is: 'problem', problem } })
      }
    }
    await this.#listDevices()
  }

  /** Starts one device, or restarts it with another choice. If the chosen device is gone, another one is used. */
  async turnOn(kind: DeviceKind, choices: Choices): Promise<void> {
    const attempt = this.#begin(kind)
    const id = kind === 'camera' ? choices.cameraId : choices.microphoneId
    try {
      this.#take(kind, attempt, await this.#open(kind, id))
    } catch (error) {
      if (attempt === this.#attempt[kind])
        this.#change({ [kind]: { is: 'problem', problem: mediaProblem(error) } })
    }
    await this.#listDevices()
  }

  turnOff(kind: DeviceKind): void {
    this.#attempt[kind]++
    this.#stop(kind)
    this.#change({ [kind]: { is: 'off' } })
  }

  /** Hands the live tracks to the meeting. From then on the meeting stops them. */
  release(): MediaStreamTrack[] {
    const { cameraStream, microphoneStream } = this.#snapshot
    const tracks = [...(microphoneStream?.getTracks() ?? []), ...(cameraStream?.getTracks() ?? [])]
    this.#attempt.camera++
    this.#attempt.microphone++
    this.#change({
      cameraStream: null,
      microphoneStream: null,
      camera: { is: 'off' },
      microphone: { is: 'off' },
    })
    return tracks.filter((track) => track.readyState === 'live')
  }

  stop(): void {
    this.turnOff('camera')
    this.turnOff('microphone')
  }

  async #open(kind: DeviceKind, id: string | null): Promise<MediaStream> {
    const wanted = (deviceId: string | null) =>
      kind === 'camera' ? { video: cameraConstraints(deviceId) } : { audio: microphoneConstraints(deviceId) }
    try {
      return await getUserMedia(wanted(id))
    } catch (error) {
      if (id !== null && mediaProblem(error) === 'missing') return getUserMedia(wanted(null))
      throw error
    }
  }

  #begin(kind: DeviceKind): number {
    this.#stop(kind)
    this.#change({ [kind]: { is: 'starting' } })
    return ++this.#attempt[kind]
  }

  /** Keeps the track of one kind. Stops it if something else was requested in the meantime. */
  #take(kind: DeviceKind, attempt: number, stream: MediaStream): void {
    const tracks = stream.getTracks().filter((track) => track.kind === trackKinds[kind])
    if (attempt !== this.#attempt[kind] || tracks.length === 0) {
      for (const track of tracks) track.stop()
      return
    }
    for (const track of tracks) {
      track.addEventListener('ended', () => {
        if (attempt !== this.#attempt[kind]) return
        this.#stop(kind)
        this.#change({ [kind]: { is: 'problem', problem: 'missing' } })
      })
    }
    this.#change({ [kind]: { is: 'on' }, [`${kind}Stream`]: new MediaStream(tracks) })
  }

  #stop(kind: DeviceKind): void {
    for (const track of this.#snapshot[`${kind}Stream`]?.getTracks() ?? []) track.stop()
    if (this.#snapshot[`${kind}Stream`]) this.#change({ [`${kind}Stream`]: null })
  }

  #listDevices = async (): Promise<void> => {
    const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? []
    this.#change({ devices: devices.filter((device) => device.deviceId !== '') })
  }

  #change(part: Partial<LocalMediaSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part }
    for (const listener of this.#listeners) listener()
  }
}

/** On an insecure page `mediaDevices` is undefined, and this rejects with a TypeError. */
async function getUserMedia(constraints: MediaStreamConstraints): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia(constraints)
}

async function permission(kind: DeviceKind): Promise<Permission> {
  try {
    return (await navigator.permissions.query({ name: kind as PermissionName })).state
  } catch {
    return 'unknown'
  }
}
