import { expect, test } from 'vitest'
import { isStreamAddress } from './stream-address.ts'

test.each([
  ['rtmp://live.example.org/app/key', true],
  ['rtmps://live.example.org:443/app/key?x=1', true],
  ['RTMP://live.example.org/app', true],
  ['rtmp://live.example.org', false],
  ['rtmp://', false],
  ['https://live.example.org/app', false],
  ['live.example.org/app', false],
  ['', false],
])('judges %j', (text, isOne) => {
  expect(isStreamAddress(text)).toBe(isOne)
})
