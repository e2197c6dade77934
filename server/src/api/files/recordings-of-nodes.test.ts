import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../ids.ts'
import { openStorage } from '../../storage/open-storage.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { freePort } from '../../testing/free-port.ts'
import { makeColourFile } from '../../testing/media/sample-files.ts'
import { sampleRecording, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestRequest, type TestServer } from '../../testing/server-for-tests.ts'
import { type TemporaryCluster, temporaryCluster } from '../../testing/temporary-cluster.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 90_000 })

/** More than the connections between the nodes hold in their buffers. */
const content = randomBytes(12 * 1024 * 1024)

let postgres: TemporaryCluster
let nats: TemporaryNats
let storage: Storage
/** `two` has the files, and `one` is asked for them. */
let one: TestServer
let two: TestServer

beforeAll(async () => {
  ;[postgres, nats] = await Promise.all([temporaryCluster(), temporaryNats()])
  const url = await postgres.createDatabase()
  const shared = {
    PARLEY_DATABASE_URL: url,
    PARLEY_NATS_URL: nats.url,
    PARLEY_ROOT_KEY: randomBytes(64).toString('base64'),
  }
  const start = async (name: string) => {
    const port = String(await freePort())
    const own = { PARLEY_NODE_NAME: name, PARLEY_PORT: port, PARLEY_NODE_ADDRESS: `127.0.0.1:${port}` }
    return startTestServer({ ...shared, ...own })
  }
  one = await start('one')
  two = await start('two')
  storage = await openStorage(url)
})
afterAll(async () => {
  await two?.stop()
  await one?.stop()
  await storage?.close()
  await nats?.remove()
  await postgres?.remove()
})

const fileOf = (server: TestServer, { file }: RecordingRecord) => join(server.dataDir, 'recordings', file)

async function add(place: 'disk' | 'sending', owner_node = 'two'): Promise<RecordingRecord> {
  const session = sampleSession({ project_id: one.projectId, status: 'completed', owner_node })
  await storage.sessions.insert(session)
  const id = newId()
  const fields = { id, file: `${id}.mp4`, place, finished_at: Date.now() }
  const recording = sampleRecording({ project_id: one.projectId, room_session_id: session.id, ...fields })
  await storage.recordings.insert(recording)
  writeFileSync(fileOf(two, recording), content)
  return recording
}
const linkOf = async ({ id }: RecordingRecord) => new URL((await one.call(`room_recordings/${id}`)).json.uri)
const posterOf = async ({ id }: RecordingRecord) =>
  new URL((await one.call(`/api/dashboard/recordings/${id}`)).json.poster_uri)

/** The bytes of an answer to somebody with a link. */
async function download(link: URL, headers: Record<string, string> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    headers: Record<string, unknown>
    body: Buffer
  }>()
  const { port } = one.running.address
  const asked = request({
    port,
    host: '127.0.0.1',
    path: link.pathname + link.search,
    ca: one.ca,
    headers,
    method,
  })
  asked.on('error', reject).on('response', async (answer) => {
    const parts: Buffer[] = []
    for await (const part of answer) parts.push(part as Buffer)
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) })
  })
  asked.end()
  return promise
}

test.each(['disk', 'sending'] as const)(
  'a recording on the disk of another node (%s) is served like one here',
  async (place) => {
    const recording = await add(place)
    const link = await linkOf(recording)
    const whole = await download(link)
    expect([whole.status, whole.body.equals(content)]).toEqual([200, true])
    expect(whole.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=0',
      'content-disposition': expect.stringContaining('inline; filename="recording-'),
    })
    expect(whole.headers).not.toHaveProperty('parley-proof')
    const etag = String(whole.headers.etag)
    const part = await download(link, { range: 'bytes=1000-1999', 'if-range': etag })
    expect([
      part.status,
      part.headers['content-range'],
      part.body.equals(content.subarray(1000, 2000)),
    ]).toEqual([206, `bytes 1000-1999/${content.length}`, true])
    expect((await download(link, { range: 'bytes=0-9', 'if-range': '"another"' })).status).toBe(200)
    expect((await download(link, { 'if-none-match': `W/${etag}` })).status).toBe(304)
    const beyond = await download(link, { range: `bytes=${content.length}-` })
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, `bytes */${content.length}`])
    const head = await download(link, {}, 'HEAD')
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(content.length),
      0,
    ])
    const forged = new URL(link)
    forged.searchParams.set('signature', 'x')
    expect((await download(forged)).status).toBe(403)
  },
)

test('a poster is made by the node that has the recording, and served like one here', async () => {
  const recording = await add('disk')
  await makeColourFile(fileOf(two, recording), { seconds: 1, sound: false })
  const link = await posterOf(recording)
  const poster = await download(link)
  expect([poster.status, poster.body.toString('latin1', 8, 12)]).toEqual([200, 'WEBP'])
  expect(poster.headers).toMatchObject({
    'content-type': 'image/webp',
    'content-length': String(poster.body.length),
    'cache-control': 'private, max-age=43200, immutable',
  })
  expect(poster.headers).not.toHaveProperty('parley-proof')
  const made = fileOf(two, recording).replace('.mp4', '.webp')
  expect(poster.body.equals(readFileSync(made))).toBe(true)
  const head = await download(link, {}, 'HEAD')
  expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
    200,
    String(poster.body.length),
    0,
  ])
  const forged = new URL(link)
  forged.searchParams.set('signature', 'x')
  expect((await download(forged)).status).toBe(403)
})

test('there is no poster of what cannot be read, and one of a node that is gone is to be asked for again', async () => {
  const broken = await download(await posterOf(await add('disk')))
  expect([broken.status, broken.headers['cache-control']]).toEqual([404, undefined])
  const away = await download(await posterOf(await add('disk', 'three')))
  expect([away.status, away.headers['cache-control']]).toEqual([503, undefined])
  expect(Number(away.headers['retry-after'])).toBeGreaterThan(0)
})

test('nobody but a node gets a file without a link', async () => {
  const { id } = await add('disk')
  for (const headers of [
    {},
    { 'parley-peer': `${one.projectId}/${id}`, 'parley-proof': 'x'.repeat(43) },
  ] as TestRequest['headers'][]) {
    for (const path of ['/cluster/recording', '/cluster/poster']) {
      const answer = await two.call(path, { headers: headers!, credentials: null })
      expect([answer.status, answer.text.length < 1000], path).toEqual([404, true])
    }
  }
})

test('a file that is nowhere is not found, and one on its way to the store is to be asked for again', async () => {
  for (const [place, status] of [
    ['disk', 404],
    ['sending', 503],
  ] as const) {
    const recording = await add(place)
    const link = await linkOf(recording)
    rmSync(fileOf(two, recording))
    expect((await download(link)).status).toBe(status)
  }
})

test('a deletion by way of one node removes the file from the disk of the other', async () => {
  const recording = await add('disk')
  expect((await one.call(`room_recordings/${recording.id}`, { method: 'DELETE' })).status).toBe(204)
  await expect.poll(() => existsSync(fileOf(two, recording)), { timeout: 5000 }).toBe(false)
  await expect.poll(() => storage.removedFiles.list(null, '', 10)).toEqual([])
})

test('while the node that has it is gone, a recording is to be asked for again', async () => {
  const link = await linkOf(await add('disk', 'three'))
  const answer = await download(link)
  expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([503, true])
})
