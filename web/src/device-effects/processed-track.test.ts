import { expect, test, vi } from 'vitest'
import { asDevice, sourceOf } from './processed-track.ts'

/** What this needs of a track. Node has none. */
class Track extends EventTarget {
  readyState = 'live'
  label = ''
  readonly deviceId: string | undefined

  constructor(deviceId?: string) {
    super()
    this.deviceId = deviceId
  }

  stop(): void {
    this.readyState = 'ended'
  }

  getSettings = () => ({ width: 640, ...(this.deviceId && { deviceId: this.deviceId }) })
  getConstraints = () => ({ width: 1280 })
}

const asTrack = (track: Track) => track as unknown as MediaStreamTrack

function madeOf(source: Track) {
  const release = vi.fn()
  const made = new Track()
  return { made: asDevice(asTrack(made), asTrack(source), release), release }
}

test('a made track is known by the device that it comes from', () => {
  const source = new Track('camera-1')
  const { made } = madeOf(source)
  expect(sourceOf(made)).toBe(source)
  expect(made.getSettings()).toEqual({ width: 640, deviceId: 'camera-1' })
  expect(made.getConstraints()).toEqual({ width: 1280 })
})

test('who stops it, twice too, releases the device and the processing once', () => {
  const source = new Track('camera-1')
  const { made, release } = madeOf(source)
  made.stop()
  made.stop()
  expect([made.readyState, source.readyState]).toEqual(['ended', 'ended'])
  expect(release).toHaveBeenCalledOnce()
  expect(sourceOf(made)).toBeUndefined()
})

test('it ends, and says so, when the device is pulled', () => {
  const source = new Track('camera-1')
  const { made, release } = madeOf(source)
  const ended = vi.fn()
  made.addEventListener('ended', ended)
  source.stop()
  source.dispatchEvent(new Event('ended'))
  expect(made.readyState).toBe('ended')
  expect(ended).toHaveBeenCalledOnce()
  expect(release).toHaveBeenCalledOnce()
})
