import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { ObjectStoreServer } from '../testing/object-store-server.ts'
import { NoSuchObject, type ObjectStore, storeProblem } from './object-store.ts'
import { openStore } from './open-store.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let server: ObjectStoreServer
let store: ObjectStore
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-parts-'))
  server = await ObjectStoreServer.start()
  store = (await openStore(readConfig(server.env)))!
})
afterAll(async () => {
  store.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list(prefix)) found.push(key)
  return found
}

test('no store is opened without a bucket', async () => {
  expect(await openStore(readConfig({}))).toBeNull()
})

test('an object is put, measured, read in a range, listed by its key, and removed', async () => {
  await store.put('a/2', Buffer.from('0123456789'), 'text/plain')
  await store.put('a/1', Buffer.from(''), 'text/plain')
  expect(await store.size('a/2')).toBe(10)
  expect(String(await buffer(await store.get('a/2', { first: 2, last: 4 })))).toBe('234')
  expect(await keys('a/')).toEqual(['a/1', 'a/2'])
  for (const key of ['a/1', 'a/2', 'a/never']) await store.remove(key)
  expect(await keys('a/')).toEqual([])
  expect(await store.size('a/2')).toBeNull()
  await expect(store.get('a/2')).rejects.toThrow(NoSuchObject)
})

test('a file of several parts comes back byte by byte, and its checksum is right', async () => {
  const content = randomBytes(20 * 1024 * 1024 + 7)
  const file = join(folder, 'large')
  await writeFile(file, content)
  const sent: number[] = []
  const stored = await store.putFile('large', file, 'video/mp4', { onSent: (bytes) => sent.push(bytes) })
  const sha256 = createHash('sha256').update(content).digest('hex')
  expect(stored).toEqual({ size: content.length, sha256 })
  expect(sent).toHaveLength(3)
  expect(content.equals(await buffer(await store.get('large')))).toBe(true)
})

test('an empty file is stored as well', async () => {
  const file = join(folder, 'empty')
  await writeFile(file, '')
  expect((await store.putFile('empty', file, 'video/mp4')).size).toBe(0)
  expect(await store.size('empty')).toBe(0)
})

test('a link leads browsers to the address that they reach', async () => {
  expect(await store.link('a', 60, 'inline')).toBeNull()
  const outside = await openStore(
    readConfig({ ...server.env, PARLEY_S3_PUBLIC_ENDPOINT: server.env.PARLEY_S3_ENDPOINT! }),
  )
  await store.put('linked', Buffer.from('linked content'), 'text/plain')
  const answer = await fetch((await outside!.link('linked', 60, 'attachment'))!, {
    headers: { range: 'bytes=0-5' },
  })
  expect([answer.status, await answer.text()]).toEqual([206, 'linked'])
  expect(answer.headers.get('content-disposition')).toBe('attachment')
  outside?.close()
})

test('the origin of links is where the bucket is, in the path or in the host', async () => {
  const originWith = async (env: Record<string, string>) => {
    const opened = (await openStore(readConfig({ ...server.env, ...env })))!
    opened.close()
    return opened.linkOrigin
  }
  const PARLEY_S3_PUBLIC_ENDPOINT = 'https://media.example.org:9000/s3'
  expect(await originWith({})).toBeNull()
  expect(await originWith({ PARLEY_S3_PUBLIC_ENDPOINT })).toBe('https://media.example.org:9000')
  expect(await originWith({ PARLEY_S3_PUBLIC_ENDPOINT, PARLEY_S3_PATH_STYLE: '0' })).toBe(
    'https://recordings-of-tests.media.example.org:9000',
  )
})

test('a store whose certificate is by an authority of its own is used with that authority alone', async () => {
  const secure = await ObjectStoreServer.startWithTls()
  const { PARLEY_S3_CA, ...withoutCa } = secure.env
  const trusting = (await openStore(readConfig(secure.env)))!
  const doubting = (await openStore(readConfig(withoutCa)))!
  await trusting.put('a', Buffer.from('over TLS'), 'text/plain')
  expect(String(await buffer(await trusting.get('a')))).toBe('over TLS')
  expect(await doubting.size('a').catch(storeProblem)).toMatch(/certificate/i)
  for (const one of [trusting, doubting]) one.close()
  await secure.stop()
})

test('a store that is away, or refuses the key, says so', async () => {
  const wrong = await openStore(readConfig({ ...server.env, PARLEY_S3_ACCESS_KEY: 'nobody' }))
  await expect(wrong?.put('b', Buffer.from('b'), 'text/plain').catch(storeProblem)).resolves.toMatch(
    /InvalidAccessKeyId/,
  )
  wrong?.close()
  await server.kill()
  expect(await store.size('a').catch(storeProblem)).toMatch(/ECONNREFUSED/)
  await server.run()
  expect(await store.size('a')).toBeNull()
})

test.each([
  ['https://[2001:db8::1]:9000', 'https://[2001:db8::1]:9000'],
  ['https://192.0.2.1:9000', 'https://192.0.2.1:9000'],
  ['https://media.example.org', 'https://media.example.org'],
])('links lead to the public endpoint %s', async (PARLEY_S3_PUBLIC_ENDPOINT, origin) => {
  const outside = (await openStore(readConfig({ ...server.env, PARLEY_S3_PUBLIC_ENDPOINT })))!
  expect(outside.linkOrigin).toBe(origin)
  const link = new URL((await outside.link('a/b.mp4', 60, 'inline')) ?? '')
  expect([link.origin, link.pathname]).toEqual([origin, '/recordings-of-tests/parley/a/b.mp4'])
  outside.close()
})
