import type { Choices } from './choices.ts'
import { cameraConstraints, microphoneConstraints } from './constraints.ts'
import {
  type DeviceIds,
  type DeviceState,
  initialLocalMedia,
  kindsIn,
  type ListedDevice,
  type LocalMediaCourse,
  type LocalMediaEffect,
  type LocalMediaEvent,
  nextLocalMedia,
} from './local-media-machine.ts'
import { type DeviceKind, mediaProblem, type Permission } from './media-problem.ts'

export interface LocalMediaSnapshot {
  camera: DeviceState
  microphone: DeviceState
  /** Null unless the device is on. It is a new object whenever the track changes. */
  cameraStream: MediaStream | null
  microphoneStream: MediaStream | null
  devices: readonly ListedDevice[]
}

const trackKinds = { camera: 'video', microphone: 'audio' } as const

/**
 * The camera and the microphone of this device before joining. Off means off: the track is stopped and the camera's
 * light goes out. {@link nextLocalMedia} decides; this class calls the browser and holds the tracks.
 */
export class LocalMedia {
  #course = initialLocalMedia
  /** The streams that run or are about to be stopped, by device and opening. */
  readonly #streams = new Map<string, MediaStream>()
  #snapshot: LocalMediaSnapshot = this.#shown()
  readonly #listeners = new Set<() => void>()

  subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0)
      navigator.mediaDevices?.addEventListener('devicechange', this.#devicesChanged)
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0)
        navigator.mediaDevices?.removeEventListener('devicechange', this.#devicesChanged)
    }
  }

  snapshot = (): LocalMediaSnapshot => this.#snapshot

  /** Starts the chosen devices. Resolves when each of them runs or has a problem. */
  start(choices: Choices): Promise<void> {
    return this.#take({ kind: 'start', choices })
  }

  /** Starts one device, or restarts it with another choice. If the chosen device is gone, another one is used. */
  turnOn(device: DeviceKind, choices: Choices): Promise<void> {
    return this.#take({ kind: 'turn-on', device, choices })
  }

  turnOff(device: DeviceKind): void {
    void this.#take({ kind: 'turn-off', device })
  }

  /** Hands the live tracks to the meeting. From then on the meeting stops them. */
  release(): MediaStreamTrack[] {
    const { microphoneStream, cameraStream } = this.#snapshot
    void this.#take({ kind: 'release' })
    const tracks = [...(microphoneStream?.getTracks() ?? []), ...(cameraStream?.getTracks() ?? [])]
    return tracks.filter((track) => track.readyState === 'live')
  }

  stop(): void {
    void this.#take({ kind: 'stop' })
  }

  #devicesChanged = (): void => void this.#take({ kind: 'devices-changed' })

  /** Resolves when the effects of this event are carried out, and those of the answers to them. */
  async #take(event: LocalMediaEvent): Promise<void> {
    const [course, effects] = nextLocalMedia(this.#course, event)
    if (course === this.#course && effects.length === 0) return
    this.#course = course
    const done = effects.map((effect) => this.#do(effect))
    this.#snapshot = this.#shown()
    for (const listener of this.#listeners) listener()
    await Promise.all(done)
  }

  async #do(effect: LocalMediaEffect): Promise<void> {
    switch (effect.do) {
      case 'open':
        return this.#open(effect)
      case 'stop':
        for (const track of this.#remove(effect)) track.stop()
        return
      case 'hand-over':
        this.#remove(effect)
        return
      case 'ask-permissions': {
        const permissions = { camera: await permission('camera'), microphone: await permission('microphone') }
        return this.#take({ ...effect, kind: 'permissions', permissions })
      }
      case 'list-devices': {
        const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? []
        return this.#take({ kind: 'listed', listing: effect.listing, devices })
      }
    }
  }

  async #open({ opening, ids }: { opening: number; ids: DeviceIds }): Promise<void> {
    let stream: MediaStream
    try {
      stream = await getUserMedia(ids)
    } catch (error) {
      return this.#take({ kind: 'not-opened', opening, problem: mediaProblem(error) })
    }
    const live = kindsIn(ids).filter((device) => this.#hold(device, opening, stream))
    return this.#take({ kind: 'opened', opening, live })
  }

  /** @returns whether the device runs */
  #hold(device: DeviceKind, opening: number, stream: MediaStream): boolean {
    const tracks = stream.getTracks().filter((track) => track.kind === trackKinds[device])
    this.#streams.set(keyOf(device, opening), new MediaStream(tracks))
    for (const track of tracks)
      track.addEventListener('ended', () => void this.#take({ kind: 'ended', device, opening }))
    return tracks.some((track) => track.readyState === 'live')
  }

  #remove({ device, opening }: { device: DeviceKind; opening: number }): MediaStreamTrack[] {
    const key = keyOf(device, opening)
    const tracks = this.#streams.get(key)?.getTracks() ?? []
    this.#streams.delete(key)
    return tracks
  }

  #shown(): LocalMediaSnapshot {
    const { camera, microphone, listed } = this.#course
    return {
      camera: camera.shown,
      microphone: microphone.shown,
      cameraStream: this.#streamOf('camera'),
      microphoneStream: this.#streamOf('microphone'),
      devices: listed,
    }
  }

  #streamOf(device: DeviceKind): MediaStream | null {
    const { shown, opening }: LocalMediaCourse[DeviceKind] = this.#course[device]
    return shown.is === 'on' && opening !== null ? (this.#streams.get(keyOf(device, opening)) ?? null) : null
  }
}

const keyOf = (device: DeviceKind, opening: number): string => `${device} ${opening}`

/** On an insecure page `mediaDevices` is undefined, and this rejects with a TypeError. */
async function getUserMedia({ camera, microphone }: DeviceIds): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({
    ...(camera !== undefined && { video: cameraConstraints(camera) }),
    ...(microphone !== undefined && { audio: microphoneConstraints(microphone) }),
  })
}

async function permission(kind: DeviceKind): Promise<Permission> {
  try {
    return (await navigator.permissions.query({ name: kind as PermissionName })).state
  } catch {
    return 'unknown'
  }
}
