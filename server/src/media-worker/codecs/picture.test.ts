import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Picture, RgbaPicture } from './picture.ts'
import { Scaler } from './scaler.ts'

const GREY = { y: 128, u: 128, v: 128 }
const RED = { y: 81, u: 90, v: 240 }

test.each([
  [0, 0],
  [0, 100],
  [-2, 100],
  [3, 100],
  [100, 7],
  [100.5, 100],
  [Number.NaN, 100],
  [8194, 2],
  [2, 1e9],
])('there is no picture of %dx%d', (width, height) => {
  expect(() => new Picture(width, height)).toThrow(RangeError)
})

test('whatever is copied where, nothing outside of a picture is touched', () => {
  // Narrower than the other, but with rows of as many bytes.
  const source = new Picture(60, 48)
  const target = new Picture(64, 32)
  expect(source.planes.strides[0]).toBe(target.planes.strides[0])
  source.fill(RED)
  const number = fc.oneof(fc.integer({ min: -10, max: 70 }), fc.constantFrom(Number.NaN, 1e12, -2, 1.5))
  fc.assert(
    fc.property(number, number, number, number, number, number, (x, y, width, height, toX, toY) => {
      target.fill(GREY)
      const fits = [x, y, width, height, toX, toY].every((value) => value >= 0 && value % 2 === 0)
      const inside = x + width <= 60 && y + height <= 48 && toX + width <= 64 && toY + height <= 32
      const copy = () => target.copyFrom(source.planes, { x, y, width, height }, toX, toY)
      if (!fits || !inside || width === 0 || height === 0) {
        expect(copy).toThrow(RangeError)
        return
      }
      copy()
      for (let row = 0; row < 32; row += 2)
        for (let column = 0; column < 64; column += 2) {
          const copied = column >= toX && column < toX + width && row >= toY && row < toY + height
          expect(target.colourAt(column, row)).toEqual(copied ? RED : GREY)
        }
    }),
    { numRuns: 300 },
  )
  source.free()
  target.free()
})

test('a freed picture refuses everything', () => {
  const picture = new Picture(64, 48)
  const other = new Picture(64, 48)
  picture.free()
  picture.free()
  expect(() => picture.fill(GREY)).toThrow('freed')
  expect(() => picture.colourAt(0, 0)).toThrow('freed')
  expect(() => other.copyFrom(picture.planes, { x: 0, y: 0, width: 2, height: 2 }, 0, 0)).toThrow('freed')
  expect(() => picture.copyFrom(other.planes, { x: 0, y: 0, width: 2, height: 2 }, 0, 0)).toThrow('freed')
  expect(() => picture.frame).toThrow('freed')
  other.free()
})

test('a drawing keeps its colours: BT.601, limited range', () => {
  const pixels = new Uint8Array(64 * 48 * 4)
  for (let at = 0; at < pixels.length; at += 4) pixels.set([255, 0, 0, 255], at)
  const drawn = new RgbaPicture(64, 48, pixels)
  const picture = new Picture(64, 48)
  const scaler = new Scaler()
  scaler.scale(drawn, picture)
  const { y, u, v } = picture.colourAt(30, 20)
  expect(Math.abs(y - 81)).toBeLessThanOrEqual(1)
  expect(Math.abs(u - 90)).toBeLessThanOrEqual(1)
  expect(Math.abs(v - 240)).toBeLessThanOrEqual(1)
  expect(() => new RgbaPicture(64, 48, pixels.subarray(1))).toThrow(RangeError)
  scaler.free()
  scaler.free()
  expect(() => scaler.scale(drawn, picture)).toThrow('freed')
  drawn.free()
  picture.free()
})

test('a part of any size is scaled to any size, and nothing beyond the part is seen', () => {
  const scaler = new Scaler()
  for (const [width, height] of [
    [2, 2],
    [322, 182],
    [4096, 2304],
    [8192, 2],
    [2, 8192],
  ] as const)
    for (const [toWidth, toHeight] of [
      [2, 2],
      [636, 356],
      [1920, 1080],
    ] as const) {
      const source = new Picture(width, height)
      const target = new Picture(toWidth, toHeight)
      source.fill(GREY)
      const part = {
        x: 2 * Math.floor(width / 8),
        y: 2 * Math.floor(height / 8),
        width: Math.max(2, 2 * Math.floor(width / 4)),
        height: Math.max(2, 2 * Math.floor(height / 4)),
      }
      source.fill(RED, part)
      scaler.scalePart(source.planes, part, target)
      for (const [x, y] of [
        [0, 0],
        [toWidth - 1, toHeight - 1],
      ] as const) {
        const { y: luma, u, v } = target.colourAt(x, y)
        expect(Math.max(Math.abs(luma - 81), Math.abs(u - 90), Math.abs(v - 240))).toBeLessThanOrEqual(2)
      }
      expect(() => scaler.scalePart(source.planes, { ...part, x: width }, target)).toThrow(RangeError)
      source.free()
      target.free()
    }
  scaler.free()
})
