import { describe, expect, test } from 'vitest'
import { type Press, shortcutOf } from './shortcut.ts'

/** An element that lies in one of these. */
const inside = (...kinds: string[]) =>
  ({
    closest: (list: string) => (list.split(', ').some((one) => kinds.includes(one)) ? {} : null),
  }) as unknown as Element
const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  defaultPrevented: false,
  target: inside('body'),
  ...more,
})

test.each([
  ['m', 'microphone'],
  ['M', 'microphone'],
  ['v', 'camera'],
  ['h', 'hand'],
  ['c', 'chat'],
  [' ', 'talk'],
  ['?', 'list'],
  ['x', null],
])('%j is %s', (key, shortcut) => {
  expect(shortcutOf(press(key))).toBe(shortcut)
})

describe('nothing happens', () => {
  test.each([
    ['with Control', { ctrlKey: true }],
    ['with Alt', { altKey: true }],
    ['with Command', { metaKey: true }],
    ['while the key is held', { repeat: true }],
    ['where it is used already', { defaultPrevented: true }],
    ['in a field', { target: inside('input') }],
    ['in a text', { target: inside('textarea') }],
    ['in a menu', { target: inside('[role=menu]') }],
  ])('%s', (_, more) => {
    expect(shortcutOf(press('m', more))).toBeNull()
  })

  test('to the microphone, where space presses a button', () => {
    expect(shortcutOf(press(' ', { target: inside('button') }))).toBeNull()
    expect(shortcutOf(press('m', { target: inside('button') }))).toBe('microphone')
  })
})
