import { expect, test } from 'vitest'
import { durationText } from './closed-door.tsx'
import { tokenIn } from './invitation.ts'

test.each([
  [0, '00:00'],
  [65, '01:05'],
  [3600, '01:00:00'],
  [86_399, '23:59:59'],
  [86_400, '1 day 00:00:00'],
  [200_000, '2 days 07:33:20'],
])('%d seconds are read as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

const token = `vpt_${'0a'.repeat(24)}`
test.each([
  [`#${token}`, token],
  [`https://meet.example.org/c/town-hall#${token}`, token],
  [` ${token}\n`, token],
  ['', null],
  ['#vpt_', null],
  ['#/guest/abc', null],
])('the token in %j is %j', (text, found) => {
  expect(tokenIn(text)).toBe(found)
})
