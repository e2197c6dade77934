import { expect, test } from 'vitest'
import { languageFor, localeFor } from './languages.ts'

test('the choice of the person counts, then the browser, then English', () => {
  expect(languageFor('ja', ['de-DE', 'en'])).toBe('ja')
  expect(languageFor(null, ['nl', 'pt-BR', 'en'])).toBe('pt')
  expect(languageFor('tlh', ['AR-eg'])).toBe('ar')
  expect(languageFor('toString', [])).toBe('en')
})

test('dates are those of the country where the browser names one', () => {
  expect(localeFor('en', ['de-AT', 'en-GB', 'en'])).toBe('en-GB')
  expect(localeFor('de', ['en-GB'])).toBe('de')
})
