import { expect, test } from 'vitest'
import { contrast, parseColour } from '../../conference/colours.ts'
import type { ConferenceColours } from '../../conference/theme.ts'
import { colourWarnings } from './colour-warnings.ts'

const five = {
  primary: '#044EF4',
  background: '#FFFFFF',
  foreground: '#1D2127',
  success: '#17BB58',
  negative: '#F42C50',
}
const unset = Object.fromEntries(
  ['light', 'dark'].flatMap((theme) =>
    Object.entries(five).map(([part, colour]) => [`${theme}_${part}`, colour]),
  ),
) as ConferenceColours

test('the defaults warn of nothing', () => {
  expect(colourWarnings(unset, 'light')).toEqual([])
  expect(colourWarnings(unset, 'dark')).toEqual([])
})

test('yellow on white is told, with a colour that can be read', () => {
  const colours = { ...unset, light_primary: '#FFE600', light_success: '#0B6E4F' }
  const [warning, ...others] = colourWarnings(colours, 'light')
  expect(others).toEqual([])
  expect(warning?.field).toBe('light_primary')
  expect(warning?.ratio).toBeLessThan(1.5)
  expect(contrast(parseColour(warning?.shown ?? '') ?? [0, 0, 0], [246, 248, 248])).toBeGreaterThan(4.4)
  expect(colourWarnings(colours, 'dark')).toEqual([])
})

test('a text is judged on the background that was set with it, and what is no colour is not judged', () => {
  const dark = { ...unset, dark_background: '#101820', dark_foreground: '#202830', dark_negative: 'red' }
  expect(colourWarnings(dark, 'dark').map(({ field }) => field)).toEqual(['dark_foreground'])
})
