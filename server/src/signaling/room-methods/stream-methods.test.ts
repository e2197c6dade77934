import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { probe } from '../../testing/media/recorded-file.ts'
import { RtmpServer } from '../../testing/media/rtmp-server.ts'
import type { RelayClient } from '../../testing/relay/relay-client.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'

let relay: RunningRelay
let folder: string

beforeAll(async () => {
  relay = await RunningRelay.open()
  folder = mkdtempSync(join(tmpdir(), 'streams-'))
}, 30_000)
afterAll(async () => {
  await relay.close()
  rmSync(folder, { recursive: true })
})

const ask = async (client: RelayClient & { call: { sessionId: string } }, method: string, params = {}) =>
  (await client.request(method, { room_session_id: client.call.sessionId, ...params })).result as {
    code: string
    message: string
    stream?: Record<string, unknown>
    streams?: Record<string, unknown>[]
  }

test('somebody who may streams the room to an RTMP server', async () => {
  const server = await RtmpServer.start(join(folder, 'room.flv'))
  const room_name = newId()
  const ada = await relay.enter({ room_name, permissions: ['room.stream'] })
  const bob = await relay.enter({ room_name, user_name: 'Bob', permissions: [] })
  const url = `rtmp://127.0.0.1:${server.port}/app/key`
  const started = await ask(ada, 'video.stream.start', { url })
  expect(started).toMatchObject({
    code: '200',
    stream: { id: expect.any(String), state: 'streaming', url, duration: null, ended_at: null },
  })
  const stream = started.stream!
  expect(Math.abs((stream.started_at as number) * 1000 - Date.now())).toBeLessThan(10_000)
  expect((await ada.event('video.stream.started')).stream).toEqual(stream)
  expect(await bob.event('video.room.updated')).toMatchObject({
    room_session: { updated: ['streaming'], streaming: true },
  })
  expect((await ask(ada, 'video.stream.list')).streams).toEqual([stream])

  // A member who joins later learns that there is a stream and its host, but not its key.
  const eve = await relay.enter({ room_name, user_name: 'Eve', permissions: [] })
  const { room_session } = (await eve.event('video.room.subscribed')) as Record<
    string,
    Record<string, unknown>
  >
  expect(room_session).toMatchObject({ streaming: true })
  expect(room_session?.streams).toEqual([{ ...stream, url: `rtmp://127.0.0.1:${server.port}` }])

  await server.receiving()
  expect((await ask(bob, 'video.stream.stop', { stream_id: stream.id })).code).toBe('403')
  expect((await ask(ada, 'video.stream.stop', { stream_id: stream.id })).code).toBe('200')
  expect((await ada.event('video.stream.ended')).stream).toMatchObject({ id: stream.id, state: 'completed' })
  expect((await ask(ada, 'video.stream.stop', { stream_id: stream.id })).code).toBe('409')
  expect((await ask(ada, 'video.stream.stop', { stream_id: newId() })).code).toBe('404')
  await server.ended()
  const { streams } = await probe(server.file)
  expect(streams.map(({ codec_name }) => codec_name).sort()).toEqual(['aac', 'h264'])
  expect(bob.events.some(({ type }) => type.startsWith('video.stream'))).toBe(false)
}, 40_000)

test('a stream that nobody takes is refused with a reason, and so is an address that is none', async () => {
  const ada = await relay.enter({ room_name: newId(), permissions: ['room.stream.start'] })
  const refused = await ask(ada, 'video.stream.start', { url: 'rtmp://127.0.0.1:9/app/secret' })
  expect(refused).toMatchObject({
    code: '500',
    message: expect.stringMatching(/cannot be reached, or does not take it\. Check address and key/),
  })
  expect(refused.message).not.toMatch(/secret|127\.0\.0\.1|ECONN/)
  expect((await ask(ada, 'video.stream.start', { url: 'nonsense' })).code).toBe('400')
  expect((await ask(ada, 'video.stream.start')).code).toBe('400')
  expect((await ask(ada, 'video.stream.list')).streams).toEqual([])
})
