import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { drawNameCard, ellipsise, initialsOf } from './name-card.ts'
import { NameCards } from './name-cards.ts'

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

function inkBetween(card: { width: number; pixels: Uint8Array }, top: number, bottom: number): number {
  let ink = 0
  for (let at = top * card.width * 4; at < bottom * card.width * 4; at += 4) if (card.pixels[at]! > 150) ink++
  return ink
}

test('writes the name under the initials, in several scripts', () => {
  for (const name of ['Ada Lovelace', 'Дмитрий', 'محمد علي', 'שלום', 'अमित', 'Ἀρχιμήδης']) {
    const card = drawNameCard(name, 640, 360)
    expect(inkBetween(card, 260, 310), name).toBeGreaterThan(150)
    expect(inkBetween(card, 80, 230), name).toBeGreaterThan(150)
  }
})

test('leaves a small card its initials alone', () => {
  const card = drawNameCard('Ada Lovelace', 64, 36)
  expect(inkBetween(card, 10, 26)).toBeGreaterThan(5)
  expect(inkBetween(card, 30, 36)).toBe(0)
})

test('never writes beyond the card, however long the name', () => {
  const card = drawNameCard('W'.repeat(300), 420, 236)
  for (let row = 0; row < 236; row++)
    for (const column of [0, 5, 414, 419]) expect(card.pixels[(row * 420 + column) * 4]).toBeLessThan(60)
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
      expect(drawNameCard(name, 200, 112).pixels).toHaveLength(200 * 112 * 4)
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
