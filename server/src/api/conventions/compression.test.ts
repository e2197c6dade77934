import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const ROOMS = 40
/** Sizes of pages of rooms: one that is compressed at once, and one that goes through the thread pool. */
const PAGES = { middle: 12, large: ROOMS }

let server: TestServer
let agent: Agent
beforeAll(async () => {
  server = await startTestServer()
  agent = new Agent({ connect: { ca: server.ca } })
  for (let index = 0; index < ROOMS; index++)
    await server.call('rooms', { method: 'POST', body: { name: `room-${index}`, description: 'Ünïcode 🎥' } })
})
afterAll(async () => {
  await agent.close()
  await server.stop()
})

/** The answer as it is on the wire. */
async function wire(
  path: string,
  acceptEncoding: string,
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
  body?: object,
) {
  const {
    statusCode,
    headers,
    body: answer,
  } = await request(new URL(path, `${server.origin}/api/video/`), {
    dispatcher: agent,
    method,
    headers: {
      authorization: basic(server.projectId, server.apiToken),
      'accept-encoding': acceptEncoding,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body ? JSON.stringify(body) : null,
  })
  return { status: statusCode, headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }

it.each(
  (['br', 'gzip', 'zstd'] as const).flatMap((encoding) =>
    (['middle', 'large'] as const).map((page) => [encoding, page] as const),
  ),
)('compresses as %s, a %s page', async (encoding, page) => {
  const path = `rooms?page_size=${PAGES[page]}`
  const plain = await wire(path, 'identity')
  expect(plain.headers['content-encoding']).toBeUndefined()
  const { status, headers, bytes } = await wire(path, encoding)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-encoding': encoding,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  })
  expect(bytes.length).toBeLessThan(plain.bytes.length / 4)
  expect(DECODERS[encoding](bytes).toString()).toBe(plain.bytes.toString())
})

it('takes the encoding that the client wants most, and none that it does not know', async () => {
  const path = `rooms?page_size=${ROOMS}`
  const chosen = async (accept: string) => (await wire(path, accept)).headers['content-encoding']
  expect(await chosen('gzip, deflate, br, zstd')).toBe('zstd')
  expect(await chosen('gzip, deflate, br')).toBe('br')
  expect(await chosen('br;q=0.5, gzip')).toBe('gzip')
  expect(await chosen('compress')).toBeUndefined()
  expect(await chosen('br;q=0, gzip;q=0')).toBeUndefined()
})

it('tells of the plain answer to HEAD', async () => {
  const path = `rooms?page_size=${ROOMS}`
  const { status, headers, bytes } = await wire(path, 'gzip', 'HEAD')
  expect(status).toBe(200)
  expect(bytes.length).toBe(0)
  expect(headers['content-encoding']).toBeUndefined()
  expect(Number(headers['content-length'])).toBe((await wire(path, 'identity')).bytes.length)
})

it('leaves small answers as they are', async () => {
  const { headers } = await wire('rooms/room-1', 'gzip')
  expect(headers['content-encoding']).toBeUndefined()
  expect(Number(headers['content-length'])).toBeGreaterThan(0)
})

it('leaves answers with secrets as they are, whatever their size', async () => {
  // Lengths are limited in characters. These have four bytes.
  const long = '🎥'.repeat(900)
  const room = await server.call('rooms/room-1')
  const conference = await server.call('conferences', {
    method: 'POST',
    body: { name: 'c', display_name: 'C' },
  })
  const id = String(conference.json.id)
  for (let index = 0; index < 5; index++) {
    const url = `rtmp://203.0.113.1/live/${'k'.repeat(900)}${index}`
    await server.call(`rooms/${room.json.id}/streams`, { method: 'POST', body: { url } })
  }
  const answers = [
    await wire('room_tokens', 'gzip', 'POST', { room_name: 'room-1', user_name: 'Ada', meta: { long } }),
    await wire(`conferences/${id}/conference_tokens`, 'gzip'),
    await wire(`rooms/${room.json.id}/streams`, 'gzip'),
    await wire('rooms', 'gzip', 'POST', {
      name: 'large',
      display_name: 'Large',
      description: long,
      meta: { long },
    }),
  ]
  expect(answers.map(({ status, bytes }) => (status < 300 ? 'done' : bytes.toString()))).toEqual(
    answers.map(() => 'done'),
  )
  for (const { bytes } of answers.toSpliced(1, 1)) expect(bytes.length).toBeGreaterThan(4096)
  for (const { headers } of answers) expect(headers['content-encoding']).toBeUndefined()
})

it('does not decompress what it is sent', async () => {
  const rawBody = gzipSync(JSON.stringify({ name: 'packed' }))
  const answer = await server.call('rooms', {
    method: 'POST',
    rawBody,
    headers: { 'content-encoding': 'gzip' },
  })
  expect(answer.status).toBe(400)
})
