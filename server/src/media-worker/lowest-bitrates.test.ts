import { expect, test } from 'vitest'
import { LowestBitrates } from './lowest-bitrates.ts'

test('an encode has the lowest bitrate that anybody asks for', () => {
  const seen: [string, number][] = []
  const bitrates = new LowestBitrates((encoding, bitrateBps) => seen.push([encoding, bitrateBps]))
  bitrates.limit('here', 'H264-small', 350_000)
  bitrates.limit('feed', 'H264-small', 200_000)
  bitrates.limit('here', 'H264-small', 300_000)
  bitrates.limit('feed', 'VP8', 1_000_000)
  bitrates.limit('feed', 'H264-small', null)
  expect(seen).toEqual([
    ['H264-small', 350_000],
    ['H264-small', 200_000],
    ['VP8', 1_000_000],
    ['H264-small', 300_000],
  ])
})
