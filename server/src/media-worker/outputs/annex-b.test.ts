import { expect, test } from 'vitest'
import { endOfParameterSets } from './annex-b.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test.each([
  ['00000001 6742c01f 00000001 68ce3c80 00000001 6588', 16],
  ['00000001 6742c01f 00000001 68ce3c80 000001 0605ff 000001 6588', 16],
  ['000001 6742c01f 000001 68ce3c80 000001 6588', 14],
  ['00000001 4188', 0],
  ['00000001 6742c01f 00000001 68ce3c80', 16],
  ['', 0],
  ['00', 0],
  ['abcdef', 0],
])('parameter sets at the start of %j end at %d', (data, end) => {
  expect(endOfParameterSets(hex(data))).toBe(end)
})
