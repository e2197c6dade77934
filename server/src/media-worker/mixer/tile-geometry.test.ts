import fc from 'fast-check'
import { expect, test } from 'vitest'
import { containOf, coverOf, type Fit, inset, overlap, tileRectangle } from './tile-geometry.ts'

const percent = fc.double({ min: -20, max: 120, noNaN: true })
const even = (max: number) => fc.integer({ min: 1, max: max / 2 }).map((half) => half * 2)

test('a tile is always even and inside the canvas', () => {
  fc.assert(
    fc.property(percent, percent, percent, percent, even(1920), even(1080), (x, y, width, height, w, h) => {
      const tile = tileRectangle({ memberId: '', x, y, width, height }, w, h)
      if (!tile) return
      for (const value of [tile.x, tile.y, tile.width, tile.height]) expect(value % 2).toBe(0)
      expect(tile.x).toBeGreaterThanOrEqual(0)
      expect(tile.y).toBeGreaterThanOrEqual(0)
      expect(tile.width).toBeGreaterThan(0)
      expect(tile.height).toBeGreaterThan(0)
      expect(tile.x + tile.width).toBeLessThanOrEqual(w)
      expect(tile.y + tile.height).toBeLessThanOrEqual(h)
    }),
  )
})

test('tiles that share an edge neither overlap nor leave a hole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), (columns) => {
      const tiles = Array.from({ length: columns }, (_, index) =>
        tileRectangle(
          { memberId: '', x: (index * 100) / columns, y: 0, width: 100 / columns, height: 100 },
          1280,
          720,
        ),
      )
      let right = 0
      for (const tile of tiles) {
        expect(tile?.x).toBe(right)
        right += tile?.width ?? 0
      }
      expect(right).toBe(1280)
    }),
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  'a tile with %d in it has no pixels',
  (bad) => {
    expect(tileRectangle({ memberId: '', x: bad, y: 0, width: 50, height: 50 }, 1280, 720)).toBeNull()
    expect(
      tileRectangle({ memberId: '', x: 0, y: 0, width: 50, height: Number.isNaN(bad) ? bad : -1 }, 1280, 720),
    ).toBeNull()
  },
)

test('a gap never takes the whole tile', () => {
  expect(inset({ x: 0, y: 0, width: 100, height: 50 }, 2)).toEqual({ x: 2, y: 2, width: 96, height: 46 })
  expect(inset({ x: 0, y: 0, width: 12, height: 8 }, 2)).toEqual({ x: 0, y: 0, width: 12, height: 8 })
})

test('overlap is about shared pixels, not about shared edges', () => {
  const tile = { x: 0, y: 0, width: 10, height: 10 }
  expect(overlap(tile, { x: 8, y: 8, width: 10, height: 10 })).toBe(true)
  expect(overlap(tile, { x: 10, y: 0, width: 10, height: 10 })).toBe(false)
})

const side = fc.integer({ min: 2, max: 4096 })

/** What of the picture is seen, in pixels of the picture, and by how much it is scaled to each side. */
function seenOf({ part, scaledWidth, scaledHeight, width, height }: Fit, picture: [number, number]) {
  const of = part ?? { width: picture[0], height: picture[1] }
  const [scaleX, scaleY] = [scaledWidth / of.width, scaledHeight / of.height]
  return { scaleX, scaleY, width: width / scaleX, height: height / scaleY }
}

test('a cover fills its tile with the middle of the picture', () => {
  fc.assert(
    fc.property(side, side, even(1920), even(1080), (pictureWidth, pictureHeight, width, height) => {
      const cover = coverOf(pictureWidth, pictureHeight, width, height)
      expect(cover).toMatchObject({ width, height, x: 0, y: 0 })
      for (const value of [cover.scaledWidth, cover.scaledHeight]) expect(value % 2).toBe(0)
      expect(cover.scaledWidth).toBeGreaterThanOrEqual(width)
      expect(cover.scaledHeight).toBeGreaterThanOrEqual(height)
      // What is scaled and not shown is bounded.
      expect(cover.scaledWidth * cover.scaledHeight).toBeLessThanOrEqual(1.5 * width * height)
      const { part } = cover
      if (!part) return
      for (const value of Object.values(part)) expect(value % 2).toBe(0)
      expect(Math.min(part.x, part.y)).toBeGreaterThanOrEqual(0)
      expect(Math.min(part.width, part.height)).toBeGreaterThanOrEqual(2)
      expect(part.x + part.width).toBeLessThanOrEqual(pictureWidth)
      expect(part.y + part.height).toBeLessThanOrEqual(pictureHeight)
      expect(Math.abs(part.x + part.width / 2 - pictureWidth / 2)).toBeLessThanOrEqual(1.5)
      expect(Math.abs(part.y + part.height / 2 - pictureHeight / 2)).toBeLessThanOrEqual(1.5)
    }),
  )
})

test('a cover keeps the proportions of the picture, but for the rounding to even pixels', () => {
  const usual = fc.integer({ min: 64, max: 4096 })
  const tile = fc.integer({ min: 32, max: 960 }).map((half) => half * 2)
  fc.assert(
    fc.property(usual, usual, tile, tile, (pictureWidth, pictureHeight, width, height) => {
      const cover = coverOf(pictureWidth, pictureHeight, width, height)
      const { scaleX, scaleY } = seenOf(cover, [pictureWidth, pictureHeight])
      const smallest = Math.min(
        cover.scaledWidth,
        cover.scaledHeight,
        ...(cover.part ? [cover.part.width, cover.part.height] : []),
      )
      expect(Math.abs(scaleX / scaleY - 1)).toBeLessThanOrEqual(4 / smallest)
    }),
  )
})

test('a picture that is hardly cropped is scaled whole, one of other proportions only where it is seen', () => {
  expect(coverOf(640, 480, 640, 360)).toMatchObject({ part: null, scaledWidth: 640, scaledHeight: 480 })
  const part = { x: 0, y: 436, width: 720, height: 406 }
  expect(coverOf(720, 1280, 640, 360)).toMatchObject({ part, scaledWidth: 640, scaledHeight: 360 })
  const filling = { part: null, scaledWidth: 640, scaledHeight: 360 }
  for (const [width, height] of [
    [1, 1],
    [1, 4000],
    [320, 15284],
    [15284, 320],
  ] as const)
    expect(coverOf(width, height, 640, 360)).toMatchObject(filling)
})

test.each([
  [640, 360],
  [1280, 720],
  [1920, 1080],
])('a picture of %dx%d that is nearly a whole number of times its tile is scaled by exactly that', (w, h) => {
  const exactly = { part: null, scaledWidth: 640, scaledHeight: 360, width: 636, height: 356 }
  expect(coverOf(w, h, 636, 356)).toMatchObject(exactly)
  expect(coverOf(w, h, 640, 360)).toMatchObject({ ...exactly, width: 640, height: 360 })
  expect(coverOf(w, h, 600, 338)).toMatchObject({ scaledWidth: 600, scaledHeight: 338 })
})

test('a whole picture lies inside its tile, touches two of its edges, and is centred', () => {
  const side = fc.integer({ min: 1, max: 4096 })
  fc.assert(
    fc.property(side, side, even(1920), even(1080), (pictureWidth, pictureHeight, width, height) => {
      const fit = containOf(pictureWidth, pictureHeight, width, height)
      for (const value of [fit.width, fit.height, fit.x, fit.y]) expect(value % 2).toBe(0)
      expect(fit.part).toBeNull()
      expect(Math.min(fit.x, fit.y)).toBeGreaterThanOrEqual(0)
      expect(fit.x + fit.width).toBeLessThanOrEqual(width)
      expect(fit.y + fit.height).toBeLessThanOrEqual(height)
      expect(fit.width === width || fit.height === height).toBe(true)
      expect(Math.abs(fit.x + fit.width / 2 - width / 2)).toBeLessThanOrEqual(1)
      expect(Math.abs(fit.y + fit.height / 2 - height / 2)).toBeLessThanOrEqual(1)
      // Proportions are kept but for the rounding to even pixels.
      const off = fit.width * pictureHeight - fit.height * pictureWidth
      const isStrip = Math.min(fit.width, fit.height) === 2
      if (!isStrip) expect(Math.abs(off)).toBeLessThanOrEqual(Math.max(pictureWidth, pictureHeight) + 1)
    }),
  )
  expect(containOf(1920, 1200, 640, 360)).toMatchObject({ part: null, width: 576, height: 360, x: 32, y: 0 })
})
