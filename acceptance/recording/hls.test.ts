import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { type HlsPlaylist, readHlsPlaylist } from '../testing/hls-playlist.ts'
import { probe } from '../testing/media-file.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'hls', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-hls-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

/** A room that is watched over HLS, with somebody in it, and the link to its playlist. */
async function watchedRoom() {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, enable_hls: true })
  const red = await deployment.enter(RED, { room_name })
  const { hls_url: link } = await deployment.rest.session(red.roomSessionId)
  if (!link) throw new Error('The session has no link.')
  return { red, link }
}

async function playlistAt(link: string, query = ''): Promise<HlsPlaylist> {
  const { status, headers, body } = await deployment.rest.download(link + query)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'application/vnd.apple.mpegurl',
    'access-control-allow-origin': '*',
    'cache-control': query === '' ? 'public, max-age=1' : 'public, max-age=24',
  })
  return readHlsPlaylist(String(body))
}

const statusOf = async (link: string) => (await deployment.rest.download(link)).status

test('a session is a live playlist of parts that keeps to RFC 8216bis, and ends with the session', async () => {
  const { red, link } = await watchedRoom()
  const statuses: number[] = []
  await eventually(
    'the playlist',
    async () => statuses.push(await statusOf(link)),
    () => statuses.includes(200),
  )
  // At first there is nothing to watch.
  expect(statuses.filter((status) => status !== 503)).toEqual([200])
  const at = (uri: string) => deployment.rest.download(new URL(uri, link).href)

  // Whoever asks for what comes next is answered once it is there, and what was there stays as it was.
  const seen = new Map<string, string>()
  let playlist = await playlistAt(link)
  let reloads = 0
  while (playlist.mediaSequence + playlist.segments.length < 5) {
    const open = playlist.segments.at(-1)
    const isOpen = open !== undefined && open.uri === null
    const segment = playlist.mediaSequence + playlist.segments.length - (isOpen ? 1 : 0)
    const part = isOpen ? open.parts.length : 0
    playlist = await playlistAt(link, `?_HLS_msn=${segment}&_HLS_part=${part}`)
    reloads++
    const uris = playlist.segments.flatMap(({ parts }) => parts.map(({ uri }) => uri))
    expect(uris.some((uri) => uri === `${segment}.${part}.m4s` || uri === `${segment + 1}.0.m4s`)).toBe(true)
    for (const { uri, seconds } of playlist.segments.flatMap(({ parts }) => parts)) {
      expect(seen.get(uri) ?? String(seconds)).toBe(String(seconds))
      seen.set(uri, String(seconds))
    }
  }
  expect(reloads).toBeGreaterThan(8)

  // The part that is hinted at can be asked for before it is there.
  const hinted = await at((await playlistAt(link)).hint ?? '')
  expect(hinted.headers).toMatchObject({ 'content-type': 'video/mp4', 'access-control-allow-origin': '*' })
  expect(hinted.headers['cache-control']).toContain('immutable')
  expect(hinted.body.toString('latin1', 4, 8)).toBe('moof')

  const complete = playlist.segments.filter(({ uri }) => uri !== null)
  const files = await Promise.all(['init.mp4', ...complete.map(({ uri }) => uri ?? '')].map(at))
  const file = path.join(directory, 'watched.mp4')
  await writeFile(file, Buffer.concat(files.map(({ body }) => body)))
  const { video, audio } = await probe(file)
  expect([video?.codec, audio?.codec]).toEqual(['h264', 'aac'])

  expect((await at('99999.m4s')).status).toBe(404)
  expect((await deployment.rest.download(`${link}?_HLS_msn=99999`)).status).toBe(422)
  expect(await statusOf(link.replace(/[^/]+\/index/, 'forged/index'))).toBe(403)
  await red.leave()
  await eventually(
    'the end',
    () => playlistAt(link),
    ({ hasEnded }) => hasEnded,
  )
})
