import { afterEach, expect, test } from 'vitest'
import type { MemberMedia, Tile } from '../../media/media-plane.ts'
import type { YuvColour } from '../codecs/picture.ts'
import type { VideoCodec } from '../media-types.ts'
import { ColourCamera } from '../test-media/colour-camera.ts'
import { colourDistance, Screen } from '../test-media/screen.ts'
import { BACKGROUND, VideoMixer, type VideoMixerOptions } from './video-mixer.ts'

const RED: YuvColour = { y: 81, u: 90, v: 240 }
const GREEN: YuvColour = { y: 145, u: 54, v: 34 }
const BLUE: YuvColour = { y: 41, u: 240, v: 110 }
const LEFT: Omit<Tile, 'memberId'> = { x: 0, y: 25, width: 50, height: 50 }
const RIGHT: Omit<Tile, 'memberId'> = { x: 50, y: 25, width: 50, height: 50 }

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

function media(memberId: string, changes: Partial<MemberMedia> = {}): MemberMedia {
  return {
    memberId,
    name: memberId,
    audioMuted: false,
    videoMuted: false,
    deaf: false,
    inputVolume: 0,
    outputVolume: 0,
    inputSensitivity: 44,
    ...changes,
  }
}

/** A room of 640x360 whose picture is decoded again, tick by tick of 50 ms. */
class TestRoom {
  nowMs = 1000
  readonly screen: Screen
  readonly keyframesWanted: string[] = []
  readonly frames: { keyframe: boolean; bytes: number; rtpTimestamp: number; codec: VideoCodec }[] = []
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
        if (frame.codec === codec) this.screen.show(frame)
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
    this.mixer.setMember(media(memberId))
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
    expect(room.frames.filter((frame) => frame.codec === output)).toHaveLength(10)
  })
}
