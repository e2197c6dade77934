import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Refusal } from '../errors/refusal.ts'
import { checkPassword } from './password-rules.ts'

const names = ['ada.lovelace@example.org', 'First project']

it.each([
  'short',
  'eleven char',
  'password1234',
  'Passw0rd!2024',
  'aaaaaaaaaaaaaaaa',
  'abcabcabcabcabc',
  '123456789012',
  'abcdefghijklmnop',
  'qwertyuiop1234',
  'zyxwvutsrqpon',
  'adalovelace1!',
  'ada.lovelace@example.org',
  'firstproject1',
  'parleyparley1',
  'letmein123456',
  'adminadmin2026',
])('refuses %s', (password) => {
  expect(() => checkPassword(password, names)).toThrow(Refusal)
})

it.each([
  'grey otters juggle lemons',
  'x7#kQ9!mPz2v',
  'пароль из пяти слов',
  '会議室の鍵は青い魚の隣にあります',
  'correct horse battery staple',
  '🎥🐙🌊🍋🎹🪐🧵🦦🏔🚲🪁🕯',
])('takes %s', (password) => {
  expect(() => checkPassword(password, names)).not.toThrow()
})

it('takes what a password manager makes, and comes to an end with whatever is entered', () => {
  const characters = fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!#%+')
  fc.assert(
    fc.property(fc.string({ unit: characters, minLength: 20, maxLength: 40 }), (password) => {
      fc.pre(new Set(password.toLowerCase()).size > 10)
      expect(() => checkPassword(password, names)).not.toThrow()
    }),
  )
  for (const long of ['a'.repeat(1000), 'ab'.repeat(500), `${'abc'.repeat(333)}x`]) {
    expect(() => checkPassword(long, names)).toThrow(Refusal)
  }
})
