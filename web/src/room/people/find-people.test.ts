import { expect, test } from 'vitest'
import { findPeople } from './find-people.ts'

const people = ['Grace Höpper', 'José', 'Ａｄａ', '東京 太郎'].map((name) => ({ name }))

test.each([
  ['', ['Grace Höpper', 'José', 'Ａｄａ', '東京 太郎']],
  [' hop', ['Grace Höpper']],
  ['JOSE', ['José']],
  ['ada', ['Ａｄａ']],
  ['太', ['東京 太郎']],
  ['nobody', []],
])('finds by %j', (typed, found) => {
  expect(findPeople(people, typed).map(({ name }) => name)).toEqual(found)
})
