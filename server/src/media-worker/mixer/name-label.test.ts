import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { MemberMedia } from '../../media/channel.ts'
import { ColourCamera } from '../../testing/media/colour-camera.ts'
import { memberMedia } from '../../testing/media/member-media.ts'
import { colourDistance } from '../../testing/media/screen.ts'
import type { Picture, YuvColour } from '../codecs/picture.ts'
import { drawNameLabel } from './name-label.ts'
import { BACKGROUND } from './tile-view.ts'
import { VideoMixer } from './video-mixer.ts'

vi.setConfig({ testTimeout: 60_000 })

const RED: YuvColour = { y: 81, u: 90, v: 240 }
/** In the strip of a label at the bottom left of a canvas of 640x360, before its text. */
const IN_LABEL = [2, 356] as const

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

test('a label lies in the bottom left corner of its tile, on even pixels', () => {
  const side = fc.integer({ min: 1, max: 1000 }).map((half) => half * 2)
  const names = fc.constantFrom('Ada Lovelace', 'W'.repeat(300), '山田太郎', 'محمد علي', 'x')
  fc.assert(
    fc.property(side, side, names, (width, height, name) => {
      const label = drawNameLabel(name, width, height)
      const isTooSmall = width < 120 || height < 84
      expect(label === null).toBe(isTooSmall)
      if (isTooSmall) return
      expect(label!.x).toBe(0)
      expect(label!.y + label!.height).toBe(height)
      expect(label!.width).toBeLessThanOrEqual(width * 0.75)
      expect((label!.y | label!.width | label!.height) & 1).toBe(0)
      expect(label!.pixels).toHaveLength(label!.width * label!.height * 4)
    }),
    { numRuns: 60 },
  )
  expect(drawNameLabel('\u202e ', 640, 360)).toBeNull()
})

/** A room of one tile, whose camera shows red. */
class RoomOfOne {
  readonly seen: YuvColour[] = []
  readonly #camera = new ColourCamera('VP8', 320, 180, RED)
  readonly #mixer: VideoMixer
  #nowMs = 1000
  /** Bright pixels in the lowest rows of the canvas. */
  ink = 0

  constructor(nameLabels: boolean, member: Partial<MemberMedia> = {}) {
    this.#mixer = new VideoMixer({
      width: 640,
      height: 360,
      fps: 20,
      nameLabels,
      onFrame: () => {},
      onPicture: (canvas) => this.#look(canvas),
      onKeyframeWanted: () => this.#camera.requestKeyframe(),
    })
    this.#mixer.setH264Enabled(true)
    this.set(member)
    this.#mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
    cleanUps.push(() => {
      this.#mixer.stop()
      this.#camera.close()
    })
  }

  set(changes: Partial<MemberMedia>): void {
    this.#mixer.setMember(memberMedia('a', { name: 'Ada', ...changes }))
  }

  /** @returns the colour in the corner of the label afterwards */
  run({ sending = true } = {}): YuvColour {
    for (let tick = 0; tick < 6; tick++) {
      this.#nowMs += 50
      if (sending) this.#mixer.pushFrame('a', this.#camera.capture(this.#nowMs - 10))
      this.#mixer.tick(this.#nowMs)
    }
    return this.seen.at(-1)!
  }

  #look(canvas: Picture): void {
    this.seen.push(canvas.colourAt(...IN_LABEL))
    this.ink = 0
    for (let x = 0; x < 640; x += 2)
      for (let y = 330; y < 360; y += 2) if (canvas.colourAt(x, y).y > 150) this.ink++
  }
}

test('a room that wants them has the names on its cameras', () => {
  const room = new RoomOfOne(true)
  expect(colourDistance(room.run(), BACKGROUND)).toBeLessThanOrEqual(4)
  expect(room.ink).toBeGreaterThan(15)
})

test('a new name is there without a new picture of the camera', () => {
  const room = new RoomOfOne(true)
  room.run()
  const before = room.ink
  room.set({ name: 'Ada King, Countess of Lovelace' })
  room.run({ sending: false })
  expect(room.ink).toBeGreaterThan(before * 3)
})

test('a shared screen has no label, and no camera has one where the room wants none', () => {
  expect(colourDistance(new RoomOfOne(true, { isScreen: true }).run(), RED)).toBeLessThanOrEqual(8)
  expect(colourDistance(new RoomOfOne(false).run(), RED)).toBeLessThanOrEqual(8)
})
