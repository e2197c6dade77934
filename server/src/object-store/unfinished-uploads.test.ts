import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openStore } from './open-store.ts'

/**
 * What the API reference of Amazon S3 says of `ListMultipartUploads` and `AbortMultipartUpload`, for these uploads alone.
 * The server of the other tests knows neither.
 */
class UploadServer {
  readonly uploads: { key: string; id: string; initiated: string }[] = []
  readonly aborted: string[] = []
  /** Ids of uploads that somebody else ended since they were listed. */
  readonly ended = new Set<string>()
  lists = 0
  /** Says that there is more, and names the same place again. */
  isStuck = false
  readonly #pageSize: number
  readonly #server: Server

  constructor(pageSize: number) {
    this.#pageSize = pageSize
    this.#server = createServer(({ method, url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://store')
      if (method === 'GET' && searchParams.has('uploads')) return response.end(this.#page(searchParams))
      const id = searchParams.get('uploadId') ?? ''
      if (method === 'DELETE' && !this.ended.has(id)) {
        this.aborted.push(`${decodeURIComponent(pathname)} ${id}`)
        return response.writeHead(204).end()
      }
      return response
        .writeHead(404)
        .end('<Error><Code>NoSuchUpload</Code><Message>It is gone.</Message></Error>')
    }).listen(0, '127.0.0.1')
  }

  async open(prefix = '') {
    await once(this.#server, 'listening')
    const { port } = this.#server.address() as AddressInfo
    return (await openStore(
      readConfig({
        PARLEY_S3_ENDPOINT: `http://127.0.0.1:${port}`,
        PARLEY_S3_BUCKET: 'media',
        PARLEY_S3_PREFIX: prefix,
        PARLEY_S3_ACCESS_KEY: 'key',
        PARLEY_S3_SECRET_KEY: 'secret',
      }),
    ))!
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #page(asked: URLSearchParams): string {
    this.lists++
    const [key, id, prefix] = ['key-marker', 'upload-id-marker', 'prefix'].map(
      (name) => asked.get(name) ?? '',
    )
    const left = this.uploads.filter(
      (one) =>
        one.key.startsWith(prefix!) && (one.key > key! || (one.key === key && id !== '' && one.id > id!)),
    )
    const page = this.isStuck ? this.uploads.slice(0, this.#pageSize) : left.slice(0, this.#pageSize)
    const last = page.at(-1)
    const isTruncated = this.isStuck || left.length > page.length
    const shown = page.map(
      (one) =>
        `<Upload><Key>${one.key}</Key><UploadId>${one.id}</UploadId><Initiated>${one.initiated}</Initiated></Upload>`,
    )
    const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`
    return `<?xml version="1.0" encoding="UTF-8"?>
      <ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>media</Bucket>
      <MaxUploads>${this.#pageSize}</MaxUploads><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? next : ''}
      ${shown.join('')}</ListMultipartUploadsResult>`
  }
}

let server: UploadServer
afterEach(() => server.stop())

const OLD = '2030-01-01T00:00:00.000Z'
const YOUNG = '2030-01-03T00:00:00.000Z'
const BEFORE = Date.UTC(2030, 0, 2)

test('old uploads that nobody finished are dropped, of all pages and of this prefix alone', async () => {
  server = new UploadServer(2)
  server.uploads.push(
    { key: 'mine/a', id: '1', initiated: OLD },
    { key: 'mine/a', id: '2', initiated: YOUNG },
    // The same key goes on at the next page.
    { key: 'mine/a', id: '3', initiated: OLD },
    { key: 'mine/b', id: '4', initiated: OLD },
    { key: 'mine/c', id: '5', initiated: OLD },
    { key: 'theirs/d', id: '6', initiated: OLD },
  )
  server.ended.add('4')
  const store = await server.open('mine/')
  await store.dropUnfinished(BEFORE)
  expect(server.aborted).toEqual(['/media/mine/a 1', '/media/mine/a 3', '/media/mine/c 5'])
  expect(server.lists).toBe(3)
  store.close()
})

test('a store that names the same page for ever is asked twice', async () => {
  server = new UploadServer(1)
  server.isStuck = true
  server.uploads.push({ key: 'a', id: '1', initiated: YOUNG })
  const store = await server.open()
  await store.dropUnfinished(BEFORE)
  expect(server.lists).toBe(2)
  store.close()
})
