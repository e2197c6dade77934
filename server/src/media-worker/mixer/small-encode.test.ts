import { afterAll, expect, test } from 'vitest'
import { colourDistance, Screen } from '../../testing/media/screen.ts'
import { Picture, type YuvColour } from '../codecs/picture.ts'
import { CanvasEncoder } from './canvas-encoder.ts'
import { smallSize } from './video-bitrate.ts'

const RED: YuvColour = { y: 81, u: 90, v: 240 }
const GREEN: YuvColour = { y: 145, u: 54, v: 34 }

const canvas = new Picture(1280, 720)
const screen = new Screen('H264')
const keyframes: boolean[] = []
const encoder = new CanvasEncoder('H264-small', {
  ...smallSize(1280, 720),
  fps: 20,
  bitrateBps: 400_000,
  onFrame: (frame) => {
    expect(frame.encoding).toBe('H264-small')
    keyframes.push(frame.keyframe)
    screen.show(frame)
  },
})
afterAll(() => {
  encoder.close()
  screen.close()
  canvas.free()
})

test('the small encode shows the whole canvas, and begins with a keyframe whenever it begins', () => {
  canvas.fill(RED, { x: 0, y: 0, width: 640, height: 720 })
  canvas.fill(GREEN, { x: 640, y: 0, width: 640, height: 720 })
  let nowMs = 1000
  const encode = () => {
    nowMs += 50
    encoder.encode(canvas, { nowMs, unchangedSinceMs: nowMs })
  }
  encode()
  expect(keyframes).toEqual([])
  encoder.setEnabled(true)
  encode()
  encode()
  encoder.setEnabled(false)
  encode()
  encoder.setEnabled(true)
  encode()
  expect(keyframes).toEqual([true, false, true])
  expect(screen.size).toEqual({ width: 640, height: 360 })
  expect(colourDistance(screen.colourAt(100, 300), RED)).toBeLessThan(8)
  expect(colourDistance(screen.colourAt(600, 20), GREEN)).toBeLessThan(8)
})

test('a canvas that is small already is not made larger', () => {
  expect(smallSize(640, 360)).toEqual({ width: 640, height: 360 })
  expect(smallSize(1920, 1080)).toEqual({ width: 640, height: 360 })
  expect(smallSize(320, 180)).toEqual({ width: 320, height: 180 })
})
