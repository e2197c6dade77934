import { expect, onTestFinished, test } from 'vitest'
import { ColourCamera } from '../../testing/media/colour-camera.ts'
import { Camera } from './camera.ts'

const GREY = { y: 128, u: 128, v: 128 }

/** Sends the same keyframe again and again. @returns how many pictures were decoded, and asked for */
function film(width: number, height: number, picturesPerSecond: number, seconds: number) {
  const source = new ColourCamera('VP8', width, height, GREY)
  const frame = source.capture(1000)
  source.close()
  let keyframesWanted = 0
  const camera = new Camera('a', () => keyframesWanted++)
  onTestFinished(() => camera.clear())
  let shown = 0
  for (let i = 0; i < seconds * picturesPerSecond; i++) {
    const arrivedAtMs = 1000 + (i * 1000) / picturesPerSecond
    const { version } = camera
    camera.push({ ...frame, arrivedAtMs }, arrivedAtMs)
    camera.advance(arrivedAtMs, 1000)
    if (camera.version !== version) shown++
  }
  return { shown, keyframesWanted }
}

test('decodes every picture of a large and fast camera', () => {
  expect(film(1920, 1080, 30, 5)).toEqual({ shown: 150, keyframesWanted: 0 })
})

test('decodes no more of a huge one than any camera may have, and goes on with that', () => {
  const { shown, keyframesWanted } = film(4096, 2304, 60, 3)
  expect(shown).toBeLessThan(80)
  expect(shown).toBeGreaterThan(40)
  expect(keyframesWanted).toBeGreaterThan(1)
})
