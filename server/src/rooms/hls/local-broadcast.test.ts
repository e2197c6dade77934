import { expect, test } from 'vitest'
import type { Refusal } from '../../errors/refusal.ts'
import { LivePlaylist } from './live-playlist.ts'
import { playlistText } from './local-broadcast.ts'

const nobodyLeft = () => false

test('what comes soon is waited for, and what comes late or never is refused at once', async () => {
  const playlist = new LivePlaylist()
  const ask = (segment: number, part: number | null) =>
    playlistText(playlist, { segment, part }, nobodyLeft).catch((error: Refusal) => error.code)
  const soon = [ask(0, 0), ask(2, 40), ask(1, null)]
  for (const [segment, part] of [
    [3, null],
    [-1, 0],
    [0, -1],
    [1, 41],
    [1, 1e9],
  ] as const) {
    expect(await ask(segment, part), `${segment}.${part}`).toBe('invalid_parameter')
  }
  playlist.end()
  expect(await Promise.all(soon)).toEqual([1, 2, 3].map(() => expect.stringContaining('#EXT-X-ENDLIST')))
})
