import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import { expect, test } from 'vitest'
import { LANGUAGE_CODES } from './languages.ts'

const files = import.meta.glob<Record<string, string>>('./*/*.json', { import: 'default', eager: true })
const areas = [...new Set(Object.keys(files).map((path) => path.split('/')[1] ?? ''))]

type Part = string | [name: string, kind?: string, rules?: Record<string, Part[] | number>]

/** The places of a text, such as `name`, `count plural` or `state select on,off`. */
function placesOf(text: string): string[] {
  const found = (parts: readonly Part[]): string[] =>
    parts.flatMap((part) => {
      if (typeof part === 'string') return []
      const [name, kind = '', rules] = part
      if (typeof rules !== 'object') return [`${name} ${kind}`]
      const cases = Object.entries(rules).filter(([key]) => key !== 'offset')
      const names = kind === 'select' ? cases.map(([key]) => key).sort() : []
      return [`${name} ${kind} ${names}`, ...cases.flatMap(([, inner]) => found(inner as Part[]))]
    })
  return [...new Set(found(compileMessageOrThrow(text) as Part[]))].sort()
}

/** The forms of each plural of a text. */
function pluralsOf(text: string): string[][] {
  return (compileMessageOrThrow(text) as Part[]).flatMap((part) =>
    typeof part !== 'string' && part[1] === 'plural' ? [Object.keys(part[2] ?? {})] : [],
  )
}

test.each(areas)('the area %s has the same texts in every language', (area) => {
  const english = files[`./${area}/en.json`] ?? {}
  expect(Object.keys(english).length).toBeGreaterThan(0)
  for (const language of LANGUAGE_CODES) {
    const texts = files[`./${area}/${language}.json`] ?? {}
    expect(Object.keys(texts), `${area}/${language}.json, in the order of the ids`).toEqual(
      Object.keys(english).sort(),
    )
    for (const [id, text] of Object.entries(texts)) {
      expect(id.startsWith(`${area}.`), `${id} is in the folder of its area`).toBe(true)
      expect(text.trim(), `${id} in ${language}`).not.toBe('')
      expect(placesOf(text), `the places of ${id} in ${language}`).toEqual(placesOf(english[id] ?? ''))
    }
  }
})

test.each(LANGUAGE_CODES)('every plural in %s has the forms that the language needs', (language) => {
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories
  for (const [path, texts] of Object.entries(files)) {
    if (!path.endsWith(`/${language}.json`)) continue
    for (const [id, text] of Object.entries(texts)) {
      for (const forms of pluralsOf(text)) expect(forms, id).toEqual(expect.arrayContaining(needed))
    }
  }
})

test('no language has files that the pages do not know', () => {
  const known = areas.flatMap((area) => LANGUAGE_CODES.map((language) => `./${area}/${language}.json`))
  expect(Object.keys(files).sort()).toEqual(known.sort())
})
