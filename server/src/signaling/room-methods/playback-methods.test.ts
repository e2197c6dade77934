import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { FileServer } from '../../testing/media/file-server.ts'
import { makeColourFile } from '../../testing/media/sample-files.ts'
import type { RelayClient } from '../../testing/relay/relay-client.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'

let relay: RunningRelay
let files: FileServer
let folder: string

beforeAll(async () => {
  relay = await RunningRelay.open()
  folder = mkdtempSync(join(tmpdir(), 'playbacks-'))
  // Long enough that it does not end by itself while a busy machine runs the test.
  const args = ['-c:v', 'libx264', '-preset', 'ultrafast']
  await makeColourFile(join(folder, 'film.mp4'), { seconds: 20, args })
  files = await FileServer.start(folder)
}, 60_000)
afterAll(async () => {
  await relay.close()
  await files.close()
  rmSync(folder, { recursive: true })
})

interface Playback {
  id: string
  state: string
  position: number
}

const ask = async (client: RelayClient & { call: { sessionId: string } }, method: string, params = {}) =>
  (await client.request(`video.playback.${method}`, { room_session_id: client.call.sessionId, ...params }))
    .result as { code: string; message: string; playback: Playback; playbacks: Playback[] }

test('somebody who may plays a file to everybody, and does everything with it', async () => {
  const room_name = newId()
  const permissions = ['room.playback', 'room.set_layout', 'room.set_position']
  const ada = await relay.enter({ room_name, permissions })
  const bob = await relay.enter({ room_name, user_name: 'Bob', permissions: [] })
  const url = files.url('film.mp4?key=secret')
  files.behaviours.set('film.mp4?key=secret', (_, response) =>
    response.writeHead(302, { location: '/film.mp4' }).end(),
  )
  const since = bob.events.length
  const started = await ask(ada, 'start', { url, volume: 5, positions: { self: 'full-screen' } })
  expect(started).toMatchObject({
    code: '200',
    playback: { state: 'playing', url, volume: 5, position: 0, seekable: true, ended_at: null },
  })
  const { playback } = started
  expect((await ada.event('video.playback.started')).playback).toMatchObject({ id: playback.id, url })
  const { layout } = await bob.event('video.layout.changed', { since })
  expect((layout as { layers: unknown[] }).layers).toContainEqual(
    expect.objectContaining({ playing_file: true, visible: true, position: 'full-screen', width: 100 }),
  )

  // Who joins later learns that something is played and from where, but not the secret.
  const eve = await relay.enter({ room_name, user_name: 'Eve', permissions: [] })
  const { room_session } = (await eve.event('video.room.subscribed')) as Record<
    string,
    Record<string, unknown>
  >
  expect(room_session?.playbacks).toMatchObject([
    { id: playback.id, state: 'playing', url: `http://127.0.0.1:${files.port}` },
  ])

  const on = { playback_id: playback.id }
  const now = async () => (await ask(ada, 'list')).playbacks.find(({ id }) => id === playback.id)!
  await expect.poll(async () => (await now()).position, { timeout: 10_000 }).toBeGreaterThan(200)
  for (const method of ['pause', 'resume', 'stop', 'list'])
    expect((await ask(bob, method, on)).code, method).toBe('403')
  expect((await ask(ada, 'pause', on)).code).toBe('200')
  const paused = await now()
  expect(paused.state).toBe('paused')
  expect((await ask(ada, 'pause', on)).code).toBe('409')
  expect((await now()).position).toBe(paused.position)
  expect((await ask(ada, 'seek_absolute', { ...on, position: 3000 })).code).toBe('200')
  expect((await ask(ada, 'seek_relative', { ...on, position: -1000 })).code).toBe('200')
  expect(await now()).toMatchObject({ state: 'paused', position: 2000 })
  expect((await ask(ada, 'set_volume', { ...on, volume: -50 })).code).toBe('200')
  expect((await ask(ada, 'resume', on)).code).toBe('200')
  await expect.poll(async () => (await now()).position, { timeout: 10_000 }).toBeGreaterThan(2200)
  expect(await now()).toMatchObject({ state: 'playing', volume: -50 })
  await ask(ada, 'seek_relative', { ...on, position: 60_000 })
  const { playback: ended } = await ada.event('video.playback.ended')
  expect(ended).toMatchObject({ id: playback.id, state: 'completed', ended_at: expect.any(Number) })
  expect((await ask(ada, 'stop', on)).code).toBe('409')
  expect((await ask(ada, 'stop', { playback_id: newId() })).code).toBe('404')
  expect(bob.events.some(({ type }) => type.startsWith('video.playback'))).toBe(false)
  const order = ada.events.map(({ type }) => type).filter((type) => type.startsWith('video.playback'))
  expect([order[0], order.at(-1)]).toEqual(['video.playback.started', 'video.playback.ended'])
}, 60_000)

test('what cannot be played is refused with a reason that tells nothing of the network', async () => {
  const ada = await relay.enter({ room_name: newId(), permissions: ['room.playback'] })
  const refused = await ask(ada, 'start', { url: 'http://127.0.0.1:9/secret.mp4' })
  expect(refused).toMatchObject({ code: '500', message: expect.stringMatching(/^Nothing can be played/) })
  expect(refused.message).not.toMatch(/secret|127\.0\.0\.1|ECONN/)
  expect((await ask(ada, 'start', { url: 'file:///etc/passwd' })).code).toBe('400')
  expect((await ask(ada, 'start', { url: files.url('film.mp4'), volume: 51 })).code).toBe('400')
  expect((await ask(ada, 'list')).playbacks).toEqual([])
}, 30_000)
