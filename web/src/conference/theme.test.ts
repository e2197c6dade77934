import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, formatColour, parseColour, type Rgb } from './colours.ts'
import { type ConferenceColours, themeOf } from './theme.ts'

const unset: ConferenceColours = {
  light_primary: '#044EF4',
  light_background: '#FFFFFF',
  light_foreground: '#1D2127',
  light_success: '#17BB58',
  light_negative: '#F42C50',
  dark_primary: '#044EF4',
  dark_background: '#FFFFFF',
  dark_foreground: '#1D2127',
  dark_success: '#17BB58',
  dark_negative: '#F42C50',
}

test('what was not set, or cannot be read, leaves the page its own colours', () => {
  expect(themeOf(unset, 'light')).toEqual({})
  expect(themeOf({ ...unset, dark_primary: null, dark_background: 'red' }, 'dark')).toEqual({})
})

test('a colour that can be read is taken as it is', () => {
  expect(themeOf({ ...unset, light_primary: '#0B6E4F' }, 'light')).toMatchObject({
    '--color-accent': '#0b6e4f',
    '--color-on-accent': '#ffffff',
  })
  expect(themeOf({ ...unset, light_primary: '#0B6E4F' }, 'dark')).toEqual({})
})

test('yellow on white becomes dark enough to be read', () => {
  const accent = themeOf({ ...unset, light_primary: '#FFE600' }, 'light')['--color-accent'] ?? ''
  expect(accent).not.toBe('#ffe600')
  expect(contrast(colour(accent), [255, 255, 255])).toBeGreaterThan(4.5)
})

const colour = (hex: string): Rgb => parseColour(hex) ?? [0, 0, 0]
const anyColour = fc
  .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }))
  .map(formatColour)

describe('whatever the ten colours are', () => {
  const pairs = [
    ['ink', 'canvas'],
    ['ink', 'hover'],
    ['ink-soft', 'canvas'],
    ['ink-soft', 'raised'],
    ['accent', 'canvas'],
    ['accent', 'accent-soft'],
    ['on-accent', 'accent'],
    ['on-accent', 'accent-strong'],
    ['live', 'live-soft'],
    ['danger-ink', 'danger-soft'],
    ['on-danger', 'danger'],
    ['on-danger', 'danger-strong'],
  ] as const

  test.each(pairs)('%s reaches 4.5 to 1 on %s', (text, ground) => {
    fc.assert(
      fc.property(fc.array(anyColour, { minLength: 5, maxLength: 5 }), (five) => {
        const [dark_primary, dark_background, dark_foreground, dark_success, dark_negative] = five as [
          string,
          string,
          string,
          string,
          string,
        ]
        const set = { dark_primary, dark_background, dark_foreground, dark_success, dark_negative }
        const theme = themeOf({ ...unset, ...set }, 'dark')
        const shown = (name: string) => colour(theme[`--color-${name}`] ?? '')
        // Rounded to whole channels.
        expect(contrast(shown(text), shown(ground))).toBeGreaterThan(4.4)
      }),
      { numRuns: 300 },
    )
  })
})
