import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type CardPart, drawNameCard, initialsOf } from './name-card.ts'
import { NameCards } from './name-cards.ts'
import { ellipsise } from './name-text.ts'

vi.setConfig({ testTimeout: 60_000 })

test.each([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Jean-Luc de la Tour', 'JT'],
  ['  élan   vital ', 'ÉV'],
  ['محمد علي', 'م'],
  ['山田太郎', '山'],
  ['🎉 Zoë 👩‍👩‍👧', '🎉'],
  ['(Guest) 7', 'G7'.slice(0, 1)],
  ['', ''],
  ['--- ...', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

/** Bright pixels. */
function inkOf(part: CardPart | undefined): number {
  let ink = 0
  for (let at = 0; at < (part?.pixels.length ?? 0); at += 4) if (part!.pixels[at]! > 150) ink++
  return ink
}

test('writes the name under the initials, in several scripts', () => {
  for (const name of ['Ada Lovelace', 'Дмитрий', 'محمد علي', 'שלום', 'अमित', 'Ἀρχιμήδης']) {
    const [initials, text] = drawNameCard(name, 640, 360)
    expect(inkOf(initials), name).toBeGreaterThan(150)
    expect(inkOf(text), name).toBeGreaterThan(150)
    expect(text!.y).toBeGreaterThanOrEqual(initials.y + initials.height)
  }
})

test('leaves a small card its initials alone', () => {
  const parts = drawNameCard('Ada Lovelace', 64, 36)
  expect(parts).toHaveLength(1)
  expect(inkOf(parts[0])).toBeGreaterThan(5)
})

test('every part lies on even pixels of the card, with its plain colour in the corner', () => {
  const side = fc.integer({ min: 1, max: 400 }).map((half) => half * 2)
  fc.assert(
    fc.property(side, side, fc.constantFrom('Ada Lovelace', '', 'W'.repeat(300)), (width, height, name) => {
      for (const part of drawNameCard(name, width, height)) {
        expect([part.x, part.y, part.width, part.height].every((value) => value % 2 === 0)).toBe(true)
        expect(part.width * part.height).toBeGreaterThan(0)
        expect(part.x + part.width).toBeLessThanOrEqual(width)
        expect(part.y + part.height).toBeLessThanOrEqual(height)
        expect(part.pixels).toHaveLength(part.width * part.height * 4)
        if (width > 40 && height > 40) expect([...part.pixels.subarray(0, 3)]).toEqual([0x26, 0x2c, 0x38])
      }
    }),
  )
})

test('never writes beyond the card, however long the name', () => {
  const [, text] = drawNameCard('W'.repeat(300), 420, 236)
  for (let row = 0; row < text!.height; row++)
    for (const column of [0, text!.width - 1])
      expect(text!.pixels[(row * text!.width + column) * 4]).toBe(0x26)
})

test('an ellipsised text fits, and is the longest that does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 1, max: 70 }),
      (text, width) => {
        const lengthOf = (part: string) => Array.from(new Intl.Segmenter().segment(part)).length
        const shown = ellipsise(text, (part) => lengthOf(part) <= width)
        if (lengthOf(text) <= width) expect(shown).toBe(text)
        else {
          expect(lengthOf(shown)).toBeLessThanOrEqual(Math.max(1, width))
          expect(shown.endsWith('…')).toBe(true)
          expect(text.startsWith(shown.slice(0, -1).trimEnd())).toBe(true)
        }
      },
    ),
  )
})

test('draws anything that may stand in a name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
      expect(drawNameCard(name, 200, 112).length).toBeGreaterThan(0)
    }),
    { numRuns: 60 },
  )
})

test('draws a card once for its name and size, and frees the oldest when there are too many', () => {
  const cards = new NameCards()
  const card = cards.get('a', 640, 360)
  expect(cards.get('a', 640, 360)).toBe(card)
  expect(cards.get('a', 320, 180)).not.toBe(card)
  for (let index = 0; index < 12; index++) cards.get(`other ${index}`, 1280, 720)
  expect(cards.has('a', 640, 360)).toBe(false)
  expect(() => card.colourAt(0, 0)).toThrow('freed')
  cards.close()
})
