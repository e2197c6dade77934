import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { offersVideo } from './offered-video.ts'

const offer = (...lines: string[]) => `v=0\r\na=sendrecv\r\n${lines.join('\r\n')}\r\n`
const audio = ['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=sendonly', 'a=msid:s-1 t-1']

test.each([
  ['a camera', ['m=video 9 UDP/TLS/RTP/SAVPF 96', 'a=msid:s-1 t-2', 'a=sendonly', ...audio], true],
  [
    'a microphone with an empty video section',
    [...audio, 'm=video 9 X 96', 'a=msid:- t-2', 'a=sendonly'],
    false,
  ],
  ['a microphone alone', audio, false],
  ['a camera that names no stream at all', ['m=video 9 X 96', 'a=sendonly'], true],
  ['an audience', ['m=video 9 X 96', 'a=recvonly', 'a=msid:s-1 t-2'], false],
  ['a section that was given up', ['m=video 0 X 96', 'a=sendonly', 'a=msid:s-1 t-2'], false],
] as const)('%s', (_, lines, expected) => {
  expect(offersVideo(offer(...lines))).toBe(expected)
})

test.each(['chromium-156', 'firefox-153'])('the offer of a member with %s', (browser) => {
  const file = new URL(`../media-worker/transport/sdp/offers/${browser}.sdp`, import.meta.url)
  expect(offersVideo(readFileSync(file, 'utf8'))).toBe(true)
})
