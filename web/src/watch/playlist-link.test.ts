import { expect, test } from 'vitest'
import { playlistOf } from './playlist-link.ts'

const HERE = 'https://meet.example.org'
const PATH = '/media/p/hls/s/signature/index.m3u8'

test.each([
  [PATH, PATH],
  [HERE + PATH, PATH],
  [`https://elsewhere.example.org${PATH}`, null],
  [`//elsewhere.example.org${PATH}`, null],
  ['/media/p/recordings/r.mp4', null],
  ['', null],
  ['https://', null],
])('%s', (link, playlist) => {
  expect(playlistOf(link, HERE)).toBe(playlist)
})
