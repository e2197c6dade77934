import { afterEach, expect, test, vi } from 'vitest'
import type { Tile } from '../../media/channel.ts'
import { ColourCamera } from '../../testing/media/colour-camera.ts'
import { memberMedia } from '../../testing/media/member-media.ts'
import { colourDistance, Screen } from '../../testing/media/screen.ts'
import type { Picture, YuvColour } from '../codecs/picture.ts'
import type { VideoCodec, VideoEncoding } from '../media-types.ts'
import { CameraTiming } from './camera-timing.ts'
import { LipSync } from './lip-sync.ts'
import { BACKGROUND, TileView } from './tile-view.ts'
import { VideoMixer, type VideoMixerOptions } from './video-mixer.ts'

vi.setConfig({ testTimeout: 60_000 })

const RED: YuvColour = { y: 81, u: 90, v: 240 }
const GREEN: YuvColour = { y: 145, u: 54, v: 34 }
const BLUE: YuvColour = { y: 41, u: 240, v: 110 }
const LEFT: Omit<Tile, 'memberId'> = { x: 0, y: 25, width: 50, height: 50 }
const RIGHT: Omit<Tile, 'memberId'> = { x: 50, y: 25, width: 50, height: 50 }

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** A room of 640x360 whose picture is decoded again, tick by tick of 50 ms. */
class TestRoom {
  nowMs = 1000
  readonly screen: Screen
  readonly keyframesWanted: string[] = []
  readonly frames: { keyframe: boolean; bytes: number; rtpTimestamp: number; encoding: VideoEncoding }[] = []
  readonly mixer: VideoMixer
  readonly cameras = new Map<string, ColourCamera>()

  constructor(codec: VideoCodec = 'H264', options: Partial<VideoMixerOptions> = {}) {
    this.screen = new Screen(codec)
    this.mixer = new VideoMixer({
      width: 640,
      height: 360,
      fps: 20,
      onFrame: (frame) => {
        this.frames.push({ ...frame, bytes: frame.data.length })
        if (frame.encoding === codec) this.screen.show(frame)
      },
      onKeyframeWanted: (memberId) => {
        this.keyframesWanted.push(memberId)
        this.cameras.get(memberId)?.requestKeyframe()
      },
      ...options,
    })
    if (codec === 'H264') this.mixer.setH264Enabled(true)
    else this.mixer.setVp8Enabled(true)
    cleanUps.push(() => {
      this.mixer.stop()
      this.screen.close()
      for (const camera of this.cameras.values()) camera.close()
    })
  }

  join(
    memberId: string,
    colour: YuvColour,
    codec: VideoCodec = 'VP8',
    width = 320,
    height = 180,
  ): ColourCamera {
    const camera = new ColourCamera(codec, width, height, colour)
    this.cameras.set(memberId, camera)
    this.mixer.setMember(memberMedia(memberId))
    return camera
  }

  /** Every camera sends a frame, then the mixer ticks. */
  run(ticks: number, senders: Iterable<string> = this.cameras.keys()): void {
    const sending = [...senders]
    for (let tick = 0; tick < ticks; tick++) {
      this.nowMs += 50
      for (const memberId of sending) {
        const camera = this.cameras.get(memberId)
        if (camera) this.mixer.pushFrame(memberId, camera.capture(this.nowMs - 10))
      }
      this.mixer.tick(this.nowMs)
    }
  }
}

function expectColour(room: TestRoom, x: number, y: number, colour: YuvColour): void {
  const seen = room.screen.colourAt(x, y)
  expect(colourDistance(seen, colour), `at ${x},${y}: ${JSON.stringify(seen)}`).toBeLessThanOrEqual(8)
}

for (const output of ['H264', 'VP8'] as const) {
  test(`shows each camera in its tile, encoded as ${output}`, () => {
    const room = new TestRoom(output)
    room.join('a', RED, 'VP8')
    room.join('b', GREEN, 'H264')
    room.mixer.setTiles([
      { memberId: 'a', ...LEFT },
      { memberId: 'b', ...RIGHT },
    ])
    room.run(10)
    expect(room.screen.size).toEqual({ width: 640, height: 360 })
    expectColour(room, 160, 180, RED)
    expectColour(room, 10, 100, RED)
    expectColour(room, 480, 180, GREEN)
    expectColour(room, 630, 260, GREEN)
    expectColour(room, 320, 40, BACKGROUND)
    expect(room.frames.filter((frame) => frame.encoding === output)).toHaveLength(10)
  })
}

test('crops a camera of other proportions to fill its tile', () => {
  const room = new TestRoom()
  const camera = room.join('a', RED, 'H264', 320, 240)
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  // 4:3 in a 16:9 tile: an eighth of the height is cut at the top and at the bottom.
  const withBars = (paint: number) => (picture: Picture) => {
    picture.fill(BLUE, { x: 0, y: 0, width: 320, height: paint })
    picture.fill(GREEN, { x: 0, y: 240 - paint, width: 320, height: paint })
  }
  for (let tick = 0; tick < 5; tick++) {
    room.nowMs += 50
    room.mixer.pushFrame('a', camera.capture(room.nowMs, withBars(60)))
    room.mixer.tick(room.nowMs)
  }
  expectColour(room, 4, 10, BLUE)
  expectColour(room, 636, 350, GREEN)
  expectColour(room, 4, 180, RED)
  expectColour(room, 636, 180, RED)
  // 60 of 240 lines are 120 of 480, of which 60 are cut.
  expectColour(room, 320, 50, BLUE)
  expectColour(room, 320, 70, RED)
  expectColour(room, 320, 290, RED)
  expectColour(room, 320, 310, GREEN)
})

const FULL: Omit<Tile, 'memberId'> = { x: 0, y: 0, width: 100, height: 100 }

/** Lines of 8 pixels along all four edges, which any cropping would cut. */
function framed(picture: Picture): void {
  const { width, height } = picture
  picture.fill(BLUE, { x: 0, y: 0, width, height: 8 })
  picture.fill(BLUE, { x: 0, y: height - 8, width, height: 8 })
  picture.fill(GREEN, { x: 0, y: 0, width: 8, height })
  picture.fill(GREEN, { x: width - 8, y: 0, width: 8, height })
}

test('copies what has the size of its tile, and crops phones that are held upright', () => {
  const room = new TestRoom()
  room.mixer.setTiles([
    { memberId: 'a', ...LEFT },
    { memberId: 'b', ...RIGHT },
  ])
  const same = room.join('a', RED, 'VP8', 320, 180)
  const upright = room.join('b', RED, 'H264', 180, 320)
  const banded = (picture: Picture) => {
    const { width, height } = picture
    picture.fill(BLUE, { x: 0, y: 0, width, height: height / 2 })
    picture.fill(GREEN, { x: 0, y: height / 2, width: width / 2, height: height / 2 })
  }
  for (let tick = 0; tick < 6; tick++) {
    room.nowMs += 50
    room.mixer.pushFrame('a', same.capture(room.nowMs, banded))
    room.mixer.pushFrame('b', upright.capture(room.nowMs, banded))
    room.mixer.tick(room.nowMs)
  }
  for (const left of [0, 320]) {
    for (const x of [8, 150, 170, 310]) expectColour(room, left + x, 98, BLUE)
    for (const y of [188, 262]) {
      expectColour(room, left + 150, y, GREEN)
      expectColour(room, left + 170, y, RED)
    }
  }
})

test('shows a screen whole, whatever its proportions become, with nothing left of what was there before', () => {
  const room = new TestRoom()
  const screen = room.join('a', RED, 'VP8', 320, 240)
  room.mixer.setMember(memberMedia('a', { isScreen: true }))
  room.mixer.setTiles([{ memberId: 'a', ...FULL }])
  const show = () => {
    for (let tick = 0; tick < 6; tick++) {
      room.nowMs += 50
      room.mixer.pushFrame('a', screen.capture(room.nowMs, framed))
      room.mixer.tick(room.nowMs)
    }
  }
  // Its name card fills the tile.
  room.run(2, [])
  expectCard(room, 20, 20)

  // 4:3 in 16:9: scaled by 1.5 to 480x360, 80 pixels are left on each side.
  show()
  expectColour(room, 40, 180, BACKGROUND)
  expectColour(room, 600, 180, BACKGROUND)
  expectColour(room, 84, 180, GREEN)
  expectColour(room, 554, 180, GREEN)
  expectColour(room, 320, 5, BLUE)
  expectColour(room, 320, 354, BLUE)
  expectColour(room, 320, 180, RED)

  // A window drawn wide: 640x160 with 100 above and below.
  screen.resize(320, 80)
  screen.requestKeyframe()
  show()
  expectColour(room, 320, 50, BACKGROUND)
  expectColour(room, 320, 310, BACKGROUND)
  expectColour(room, 320, 108, BLUE)
  expectColour(room, 320, 252, BLUE)
  expectColour(room, 8, 180, GREEN)
  expectColour(room, 630, 180, GREEN)

  // And tall.
  screen.resize(160, 320)
  screen.requestKeyframe()
  show()
  expectColour(room, 200, 180, BACKGROUND)
  expectColour(room, 440, 180, BACKGROUND)
  expectColour(room, 320, 4, BLUE)
  expectColour(room, 320, 354, BLUE)
})

test('leaves the tile around a screen to what lies below it only until it is drawn again', () => {
  const room = new TestRoom()
  room.join('below', RED)
  room.join('screen', GREEN, 'VP8', 240, 240)
  room.mixer.setMember(memberMedia('screen', { isScreen: true }))
  room.mixer.setTiles([
    { memberId: 'below', ...FULL },
    { memberId: 'screen', x: 50, y: 50, width: 50, height: 50 },
  ])
  room.run(4)
  room.run(4, ['below'])
  expectColour(room, 480, 270, GREEN)
  expectColour(room, 340, 270, BACKGROUND)
  expectColour(room, 100, 100, RED)
})

test('goes on showing a screen on which nothing moves', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.mixer.setMember(memberMedia('a', { isScreen: true }))
  room.mixer.setTiles([{ memberId: 'a', ...FULL }])
  room.run(4)
  room.run(200, [])
  expectColour(room, 20, 20, RED)
  room.mixer.endOfVideo('a')
  room.run(2, [])
  expect(colourDistance(room.screen.colourAt(20, 20), RED)).toBeGreaterThan(50)
})

test('follows a camera that changes its size and its codec in mid-stream', () => {
  const room = new TestRoom()
  const camera = room.join('a', RED, 'VP8', 320, 180)
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  room.run(5)
  for (const [width, height] of [
    [640, 360],
    [160, 90],
    [180, 320],
    [1280, 720],
    [2, 2],
    [322, 182],
  ] as const) {
    camera.resize(width, height)
    camera.requestKeyframe()
    camera.colour = room.screen.colourAt(320, 180).v > 150 ? GREEN : RED
    room.run(3)
    expectColour(room, 320, 180, camera.colour)
    expectColour(room, 2, 2, camera.colour)
  }
  room.cameras.get('a')?.close()
  room.join('a', BLUE, 'H264', 480, 270)
  room.run(3)
  expectColour(room, 320, 180, BLUE)
})

test('draws tiles over each other in their order, whichever has news', () => {
  const room = new TestRoom()
  room.join('below', RED)
  room.join('above', GREEN)
  room.mixer.setTiles([
    { memberId: 'below', x: 0, y: 0, width: 100, height: 100 },
    { memberId: 'above', x: 60, y: 60, width: 30, height: 30 },
  ])
  room.run(4)
  room.run(4, ['below'])
  expectColour(room, 480, 270, GREEN)
  expectColour(room, 100, 100, RED)
  room.run(4, ['above'])
  expectColour(room, 480, 270, GREEN)
  expectColour(room, 100, 100, RED)
})

test('keeps the pictures over a change of layout, and closes up', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.join('b', GREEN)
  room.mixer.setTiles([
    { memberId: 'a', ...LEFT },
    { memberId: 'b', ...RIGHT },
  ])
  room.run(5)
  room.mixer.setTiles([{ memberId: 'b', x: 0, y: 0, width: 100, height: 100 }])
  room.mixer.removeMember('a')
  // Without a single further frame.
  room.run(3, [])
  expectColour(room, 20, 20, GREEN)
  expectColour(room, 620, 340, GREEN)
})

test('draws nothing below a picture that covers the canvas, and shows it again in one step', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.join('b', GREEN)
  const side = [
    { memberId: 'a', ...LEFT },
    { memberId: 'b', ...RIGHT },
  ]
  room.mixer.setTiles(side)
  room.run(5)
  room.mixer.setTiles([...side, { memberId: 'b', x: 0, y: 0, width: 100, height: 100 }])
  room.run(1, [])
  // No gap around it shows what lies below.
  for (const [x, y] of [
    [2, 180],
    [160, 180],
    [638, 180],
  ] as const)
    expectColour(room, x, y, GREEN)
  const draw = vi.spyOn(TileView.prototype, 'drawPicture')
  room.run(10)
  const drawn = draw.mock.contexts.map((tile) => (tile as TileView).sourceId)
  draw.mockRestore()
  expect([...new Set(drawn)]).toEqual(['b'])
  room.mixer.setTiles(side)
  // Its camera was decoded meanwhile, so that its picture is there without a further frame.
  room.run(1, [])
  expectColour(room, 160, 180, RED)
  expectColour(room, 480, 180, GREEN)
})

/** Neither the background nor one plain colour. */
function expectCard(room: TestRoom, x: number, y: number): void {
  expect(colourDistance(room.screen.colourAt(x, y), BACKGROUND)).toBeGreaterThan(3)
}

test('shows a name card while there is no picture', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  room.run(2, [])
  const card = room.screen.colourAt(20, 20)
  const circle = room.screen.colourAt(320, 105)
  expect(colourDistance(card, RED)).toBeGreaterThan(50)
  expect(colourDistance(card, circle)).toBeGreaterThan(10)
  expectCard(room, 20, 20)

  room.run(4)
  expectColour(room, 20, 20, RED)

  // A muted camera, or one on hold: at once, whatever it still sends.
  for (const off of [{ videoMuted: true }, { held: true }]) {
    room.mixer.setMember(memberMedia('a', off))
    room.run(2)
    expectColour(room, 20, 20, card)
    room.mixer.setMember(memberMedia('a'))
    room.run(12)
    expectColour(room, 20, 20, RED)
  }

  // A camera that says nothing any more: after 2 s.
  room.run(39, [])
  expectColour(room, 20, 20, RED)
  room.run(4, [])
  expectColour(room, 20, 20, card)
  room.run(4)
  expectColour(room, 20, 20, RED)

  // A camera that is gone: at once.
  room.mixer.endOfVideo('a')
  room.run(2, [])
  expectColour(room, 20, 20, card)
})

test('draws the card again when the name changes', () => {
  const room = new TestRoom()
  room.mixer.setMember(memberMedia('a', { name: 'Ada' }))
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  room.run(2, [])
  const before = room.screen.colourAt(262, 154)
  room.mixer.setMember(memberMedia('a', { name: 'Grace Hopper' }))
  room.run(2, [])
  expect(colourDistance(before, room.screen.colourAt(262, 154))).toBeGreaterThan(5)
})

test('asks a camera for a keyframe when it starts, and again while none comes', () => {
  const room = new TestRoom()
  const camera = room.join('a', RED)
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  camera.capture(900)
  room.cameras.clear()
  for (let tick = 0; tick < 40; tick++) {
    room.nowMs += 50
    room.mixer.pushFrame('a', camera.capture(room.nowMs))
    room.mixer.tick(room.nowMs)
  }
  // 2 s of frames that lean on one that was never seen, twice a second.
  expect(room.keyframesWanted.length).toBeGreaterThanOrEqual(3)
  expect(room.keyframesWanted.length).toBeLessThanOrEqual(5)
  camera.requestKeyframe()
  room.nowMs += 50
  room.mixer.pushFrame('a', camera.capture(room.nowMs))
  room.mixer.tick(room.nowMs)
  expectColour(room, 320, 180, RED)
  camera.close()
})

test('decodes nothing for members without a tile and starts again with a keyframe', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.run(10)
  expect(room.keyframesWanted).toHaveLength(0)
  room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  room.run(3)
  expect(room.keyframesWanted).toEqual(['a'])
  expectColour(room, 320, 180, RED)
})

test('makes a keyframe on the next tick when asked, and of many wishes one', () => {
  const room = new TestRoom()
  room.run(10, [])
  expect(room.frames.map((frame) => frame.keyframe)).toEqual([true, ...Array(9).fill(false)])
  room.frames.length = 0
  for (let tick = 0; tick < 20; tick++) {
    for (let viewer = 0; viewer < 50; viewer++) room.mixer.requestKeyframe('H264')
    room.run(1, [])
  }
  const keyframes = room.frames.flatMap((frame, index) => (frame.keyframe ? [index] : []))
  expect(keyframes[0]).toBe(0)
  expect(keyframes).toHaveLength(4)
  // Nobody asks any more.
  room.run(6, [])
  room.frames.length = 0
  room.run(40, [])
  expect(room.frames.some((frame) => frame.keyframe)).toBe(false)
})

test('makes two pictures a second while nothing moves, and the next tick shows what does', () => {
  const room = new TestRoom()
  const camera = room.join('a', RED)
  room.mixer.setMember(memberMedia('a', { isScreen: true }))
  room.mixer.setTiles([{ memberId: 'a', ...FULL }])
  room.run(4)
  // A second in which the picture gets sharper, then 4 s of which each takes two.
  room.run(20, [])
  room.frames.length = 0
  room.run(80, [])
  expect(room.frames.length).toBeGreaterThanOrEqual(8)
  expect(room.frames.length).toBeLessThanOrEqual(9)
  // The same content once more is no news.
  room.run(1)
  room.run(19, [])
  expect(room.frames.length).toBeLessThanOrEqual(11)

  for (const change of [
    () => room.mixer.requestKeyframe('H264'),
    () => room.mixer.setTiles([{ memberId: 'a', x: 0, y: 0, width: 90, height: 90 }]),
    () => {
      camera.colour = GREEN
      room.run(1)
    },
  ]) {
    room.run(60, [])
    room.frames.length = 0
    change()
    room.run(2, [])
    expect(room.frames.length).toBeGreaterThanOrEqual(1)
    expect(room.frames[0]!.rtpTimestamp / 90).toBeGreaterThanOrEqual(room.nowMs - 100)
  }
  expectColour(room, 320, 180, GREEN)
})

test('runs only the encoders that somebody needs', () => {
  const room = new TestRoom()
  room.mixer.setH264Enabled(false)
  room.run(5, [])
  expect(room.frames).toHaveLength(0)
  room.mixer.setVp8Enabled(true)
  room.run(5, [])
  room.mixer.setH264Enabled(true)
  room.run(5, [])
  room.mixer.setVp8Enabled(false)
  room.run(5, [])
  const codecs = room.frames.map((frame) => frame.encoding)
  expect(codecs.filter((codec) => codec === 'VP8')).toHaveLength(10)
  expect(codecs.filter((codec) => codec === 'H264')).toHaveLength(10)
  expect(room.frames.find((frame) => frame.encoding === 'H264')?.keyframe).toBe(true)
})

test('stamps frames with the time of the tick, in 90 kHz, through late and skipped ticks', () => {
  const room = new TestRoom()
  const ticks = [1000, 1050, 1103, 1150, 1400, 1400, 1450]
  for (const tick of ticks) room.mixer.tick(tick)
  expect(room.frames.map((frame) => frame.rtpTimestamp)).toEqual(
    [1000, 1050, 1103, 1150, 1400, 1450].map((ms) => ms * 90),
  )
})

test('a camera without a microphone waits for lost packets as well', () => {
  const room = new TestRoom()
  const timing = new CameraTiming(new LipSync(), 20)
  const camera = room.join('a', RED, 'VP8')
  room.mixer.setTiles([{ memberId: 'a', ...FULL }])
  /** What each tick shows, where every tenth frame comes 120 ms late and keeps those behind it waiting. */
  const watch = (holdMs: number): number[] => {
    const startMs = room.nowMs
    const frames = Array.from({ length: 60 }, (_, index) => {
      const capturedAtMs = startMs + index * 50
      const lateMs = Math.max(0, 120 - 50 * (index % 10))
      const arrivedAtMs = capturedAtMs + 20 + (index >= 10 ? lateMs : 0)
      const paint = (picture: Picture) =>
        picture.fill({ y: 40 + 3 * index, u: 128, v: 128 }, { x: 0, y: 0, width: 320, height: 180 })
      return camera.capture(arrivedAtMs, paint, capturedAtMs, Math.max(arrivedAtMs, capturedAtMs + holdMs))
    })
    const shown: number[] = []
    for (let tick = 0; tick < 60; tick++) {
      room.nowMs += 50
      while (frames[0] && frames[0].arrivedAtMs <= room.nowMs) {
        const frame = frames.shift()!
        room.mixer.pushFrame('a', frame, timing.showAtMs('a', frame))
      }
      room.mixer.tick(room.nowMs)
      shown.push(Math.round((room.screen.colourAt(320, 180).y - 40) / 3))
    }
    return shown
  }
  const steps = (shown: number[]) => shown.slice(12).map((frame, index) => frame - shown[11 + index]!)
  expect(steps(watch(0))).toContain(0)
  camera.requestKeyframe()
  expect(new Set(steps(watch(150)))).toEqual(new Set([1]))
})

test('survives thousands of corrupt frames of each codec and shows the next good one', () => {
  const room = new TestRoom()
  const random = pseudoRandom(7)
  room.mixer.setTiles([
    { memberId: 'vp8', ...LEFT },
    { memberId: 'h264', ...RIGHT },
  ])
  for (const [memberId, codec] of [
    ['vp8', 'VP8'],
    ['h264', 'H264'],
  ] as const) {
    const camera = room.join(memberId, GREEN, codec)
    for (let index = 0; index < 3000; index++) {
      if (index % 50 === 0) camera.requestKeyframe()
      const frame = camera.capture(room.nowMs + index)
      const { data } = frame
      const damage = random() * 4
      if (damage < 1) frame.data = data.subarray(0, Math.floor(random() * data.length))
      else if (damage < 3)
        for (let hit = 0; hit < 1 + damage * 3; hit++)
          data[Math.floor(random() * data.length)] = random() * 256
      else frame.data = Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => random() * 256))
      room.mixer.pushFrame(memberId, frame)
      if (index % 10 === 0) room.mixer.tick(room.nowMs + index)
    }
    camera.requestKeyframe()
  }
  room.nowMs += 10_000
  room.run(5)
  expectColour(room, 160, 180, GREEN)
  expectColour(room, 480, 180, GREEN)
})

test('takes calls in any order, for unknown members, and after the end', () => {
  const room = new TestRoom()
  const camera = new ColourCamera('VP8', 64, 64, RED)
  const frame = camera.capture(1)
  room.mixer.pushFrame('nobody', frame)
  room.mixer.endOfVideo('nobody')
  room.mixer.removeMember('nobody')
  room.mixer.setTiles([
    { memberId: 'nobody', ...LEFT },
    { memberId: 'x', x: Number.NaN, y: 0, width: 1, height: 1 },
    { memberId: 'x', x: 90, y: 90, width: 1000, height: 1000 },
    { memberId: 'x', x: 10, y: 10, width: 0, height: -5 },
  ])
  room.run(3, [])
  room.mixer.stop()
  room.mixer.stop()
  room.mixer.pushFrame('nobody', frame)
  room.mixer.setTiles([{ memberId: 'a', ...LEFT }])
  room.mixer.setMember(memberMedia('a'))
  room.mixer.setH264Enabled(true)
  room.mixer.requestKeyframe('VP8')
  const count = room.frames.length
  room.run(3, [])
  expect(room.frames).toHaveLength(count)
  camera.close()
})

test('can be stopped from within its own callbacks', () => {
  const mixer: VideoMixer = new VideoMixer({
    width: 640,
    height: 360,
    fps: 20,
    onFrame: () => mixer.stop(),
    onKeyframeWanted: () => {},
  })
  mixer.setH264Enabled(true)
  mixer.setVp8Enabled(true)
  mixer.tick(1)
  mixer.tick(2)
})

test('ticks by itself', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  let pictures = 0
  const mixer = new VideoMixer({
    width: 64,
    height: 64,
    fps: 30,
    onFrame: ({ capturedAtMs }) => {
      if (++pictures === 10) resolve(capturedAtMs)
    },
    onKeyframeWanted: () => {},
  })
  cleanUps.push(() => mixer.stop())
  mixer.setH264Enabled(true)
  const startedMs = performance.now()
  mixer.start()
  expect((await promise) - startedMs).toBeGreaterThanOrEqual(299)
})

test('goes on at another rate and with less work from the next picture on, which is a keyframe', () => {
  const room = new TestRoom()
  room.join('a', RED)
  room.mixer.setTiles([{ memberId: 'a', ...FULL }])
  room.run(5)
  for (const effort of [
    { fps: 10, isFast: true, stillIntervalMs: 500 },
    { fps: 10, isFast: false, stillIntervalMs: 500 },
    { fps: 1, isFast: true, stillIntervalMs: 500 },
  ]) {
    room.frames.length = 0
    room.mixer.setEffort(effort)
    room.mixer.setEffort(effort)
    room.run(5)
    expect(room.frames.map(({ keyframe }) => keyframe)).toEqual([true, false, false, false, false])
    expectColour(room, 320, 180, RED)
  }
})

test('ticks at the rate that it was set to last', async () => {
  const times: number[] = []
  const mixer = new VideoMixer({
    width: 64,
    height: 64,
    fps: 30,
    onFrame: () => {},
    onPicture: (_, nowMs) => times.push(nowMs),
    onKeyframeWanted: () => {},
  })
  cleanUps.push(() => mixer.stop())
  mixer.setH264Enabled(true)
  mixer.setEffort({ fps: 10, isFast: false, stillIntervalMs: 500 })
  mixer.start()
  mixer.setEffort({ fps: 5, isFast: false, stillIntervalMs: 500 })
  await vi.waitFor(() => expect(times.length).toBeGreaterThanOrEqual(3), { timeout: 10_000 })
  expect(times.at(-1)! - times.at(-2)!).toBeGreaterThan(150)
})

/** Numerical Recipes' linear congruence: the same damage in every run. */
function pseudoRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
