import { describe, expect, test } from 'vitest'
import { linkProblem, linkTitle, positionAt, withPlayback } from './playback-state.ts'

const film = {
  id: 'film',
  url: 'https://media.example/a/film.mp4',
  state: 'playing',
  volume: 0,
  position: 2000,
  seekable: true,
}

describe('the list of what plays', () => {
  const list = withPlayback(withPlayback([], film, 100), { ...film, id: 'song' }, 200)

  test('keeps its order when one changes', () => {
    const after = withPlayback(list, { ...film, state: 'paused', volume: -20, position: 9000 }, 300)
    expect(after.map(({ id }) => id)).toEqual(['film', 'song'])
    expect(after[0]).toMatchObject({ paused: true, volume: -20, positionMs: 9000, toldAtMs: 300 })
  })

  test('loses what is over, even if it was not known', () => {
    expect(withPlayback(list, { ...film, state: 'completed' }, 300).map(({ id }) => id)).toEqual(['song'])
    expect(withPlayback([], { ...film, state: 'completed' }, 300)).toEqual([])
  })
})

describe('the position', () => {
  const [playing] = withPlayback([], film, 1000)
  const [paused] = withPlayback([], { ...film, state: 'paused' }, 1000)
  const [short] = withPlayback([], { ...film, duration: 3000 }, 1000)

  test('moves while it plays, and stops at the end', () => {
    expect(positionAt(playing!, 6000)).toBe(7000)
    expect(positionAt(paused!, 6000)).toBe(2000)
    expect(positionAt(short!, 60_000)).toBe(3000)
  })

  test('does not run backwards', () => {
    expect(positionAt(playing!, 0)).toBe(2000)
  })
})

test('a link is called by its file, else by its host', () => {
  expect(linkTitle('https://media.example/a/my%20film.mp4?key=1')).toBe('my film.mp4')
  expect(linkTitle('https://media.example/a/%E0%A4.mp4')).toBe('%E0%A4.mp4')
  expect(linkTitle('rtmp://live.example/')).toBe('live.example')
  expect(linkTitle('no link')).toBe('no link')
})

test('a link has to be whole', () => {
  for (const link of [
    'https://a.example/x',
    'http://a.example',
    ' rtmp://a.example/live/key ',
    'rtmps://a/b',
  ])
    expect(linkProblem(link)).toBeNull()
  for (const link of ['', '  ', 'film.mp4', 'file:///etc/passwd', 'javascript:alert(1)', 'https://'])
    expect(linkProblem(link)).not.toBeNull()
})
