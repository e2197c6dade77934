import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttps, type Server as HttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ClusterNode } from '../cluster/cluster.ts'
import { openPipe } from '../cluster/pipes/open-pipe.ts'
import { CutLink } from '../testing/media/cut-link.ts'
import { timePasses } from '../testing/time-passes.ts'
import { issueCertificate, type KeyedCertificate, makeAuthority } from '../tls/authority.ts'
import { FeedEntrance } from './feed-entrance.ts'
import { FeedExits } from './feed-exits.ts'
import { FEED_PATH } from './messages.ts'

const log = pino({ level: 'silent' })
const FEED = 'feed-1'

let certificate: KeyedCertificate
let owner: ClusterNode
let server: HttpsServer
let exits: FeedExits
/** Stands for the worker that mixes the room. */
let worker: Server
let atWorker: Socket[]
let entrance: FeedEntrance
const open: { destroy(): void }[] = []

const portOf = (listening: Server | HttpsServer) => (listening.address() as AddressInfo).port

beforeAll(async () => {
  certificate = await issueCertificate(await makeAuthority(Date.now()), ['127.0.0.1'], Date.now())
})

beforeEach(async () => {
  atWorker = []
  worker = createServer((socket) => {
    socket.on('error', () => {})
    atWorker.push(socket)
  })
  worker.listen(0, '127.0.0.1')
  server = createHttps(certificate)
  server.listen(0, '127.0.0.1')
  await Promise.all([once(worker, 'listening'), once(server, 'listening')])
  const linkKey = randomBytes(32).toString('base64url')
  owner = { name: 'a', linkKey, address: `127.0.0.1:${portOf(server)}` } as ClusterNode
  exits = new FeedExits({ self: owner })
  exits.offer(FEED, { host: '127.0.0.1', port: portOf(worker) })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    if (!exits.takeOver(request, socket, head, () => {})) socket.end('HTTP/1.1 404 Not Found\r\n\r\n')
  })
  entrance = await FeedEntrance.open(owner, FEED, log)
})

afterEach(() => {
  for (const each of open.splice(0)) each.destroy()
  entrance.close()
  exits.stop()
  server.close()
  server.closeAllConnections()
  worker.close()
  for (const socket of atWorker) socket.destroy()
})

function reach({ port } = entrance.address): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  open.push(socket)
  return socket
}

/** Both ends of a feed. */
async function joined(): Promise<{ reader: Socket; writer: Socket }> {
  const reader = reach()
  await expect.poll(() => atWorker.length).toBe(1)
  return { reader, writer: atWorker[0] as Socket }
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let count = 0
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    count += (chunk as Buffer).length
    if (count >= bytes) break
  }
  return Buffer.concat(chunks)
}

test('bytes pass unchanged in both directions, and the end of either side is the end of the other', async () => {
  const { reader, writer } = await joined()
  const down = randomBytes(5_000_000)
  for (let at = 0; at < down.length; at += 70_001) writer.write(down.subarray(at, at + 70_001))
  expect((await read(reader, down.length)).equals(down)).toBe(true)
  const up = randomBytes(300_000)
  for (let at = 0; at < up.length; at += 33) reader.write(up.subarray(at, at + 33))
  expect((await read(writer, up.length)).equals(up)).toBe(true)

  writer.resume()
  reader.destroy()
  await once(writer, 'close')
  const next = reach()
  next.resume()
  await expect.poll(() => atWorker.length).toBe(2)
  atWorker[1]?.destroy()
  await once(next, 'close')
})

test('only a node of the cluster gets a feed, and only one that is offered', async () => {
  const stranger = { ...owner, linkKey: randomBytes(32).toString('base64url') }
  await expect(openPipe(stranger, FEED_PATH, FEED)).rejects.toThrow(/no pipe/)
  await expect(openPipe(owner, FEED_PATH, 'feed-2')).rejects.toThrow(/no pipe/)
  await expect(openPipe(owner, `${FEED_PATH}/`, FEED)).rejects.toThrow(/no pipe/)
  exits.withdraw(FEED)
  await expect(openPipe(owner, FEED_PATH, FEED)).rejects.toThrow(/no pipe/)
  expect(atWorker).toEqual([])
})

test('a worker that reaches an owner who cannot prove itself gets nothing', async () => {
  // Somebody in between has a TLS connection of its own to each end.
  const between = createHttps(certificate)
  between.on('upgrade', (request, socket) => {
    const { 'parley-peer': said = '', 'parley-proof': proof = '' } = request.headers
    socket.on('error', () => {})
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nparley-proof: ${proof}\r\nx: ${said}\r\n\r\n`,
    )
  })
  between.listen(0, '127.0.0.1')
  await once(between, 'listening')
  const impostor = await FeedEntrance.open({ ...owner, address: `127.0.0.1:${portOf(between)}` }, FEED, log)
  const reader = reach(impostor.address)
  const got: Buffer[] = []
  reader.on('data', (bytes) => got.push(bytes))
  await once(reader, 'close')
  expect(got).toEqual([])
  impostor.close()
  between.close()
  between.closeAllConnections()
})

test('whatever a node sends, it harms its own feed alone', async () => {
  const { reader, writer } = await joined()
  const hostile = [
    (raw: { send(data: unknown, options?: object): void }) => raw.send(randomBytes(300_000)),
    (raw: { send(data: unknown, options?: object): void }) => raw.send('text', { binary: false }),
  ]
  for (const [index, attack] of hostile.entries()) {
    const pipe = await openPipe(owner, FEED_PATH, FEED)
    await expect.poll(() => atWorker.length).toBe(index + 2)
    attack(pipe as never)
    pipe.terminate()
    const attacked = atWorker[index + 1] as Socket
    attacked.resume()
    if (!attacked.destroyed) await once(attacked, 'close')
  }
  // Bytes that are no frames at all.
  const pipe = await openPipe(owner, FEED_PATH, FEED)
  await expect.poll(() => atWorker.length).toBe(4)
  const { _socket: raw } = pipe as unknown as { _socket: Socket }
  raw.write(Buffer.alloc(1000, 0xff))
  const attacked = atWorker[3] as Socket
  attacked.resume()
  await once(attacked, 'close')

  writer.write('still there')
  expect((await read(reader, 11)).toString()).toBe('still there')
})

test('a reader that stands still makes the worker wait, and little is held for it', async () => {
  const { reader, writer } = await joined()
  const chunk = Buffer.alloc(64 * 1024)
  const MOST_BYTES = 200_000_000
  let offered = 0
  let lastTaken = -1
  const taken = () => offered - writer.writableLength
  // The system's own buffers take some megabytes; what the program holds is some hundred kilobytes.
  while (taken() !== lastTaken && offered < MOST_BYTES) {
    lastTaken = taken()
    for (let i = 0; i < 200; i++) writer.write(chunk)
    offered += 200 * chunk.length
    await timePasses(300, 'what was written goes as far as it can')
  }
  expect(taken()).toBeLessThan(60_000_000)
  const seen = await read(reader, offered)
  expect(seen.length).toBe(offered)
})

test('an owner that vanishes without a word ends the feed', { timeout: 20_000 }, async () => {
  const link = await CutLink.open({ host: '127.0.0.1', port: portOf(server) })
  const far = await FeedEntrance.open({ ...owner, address: `127.0.0.1:${link.address.port}` }, FEED, log)
  const reader = reach(far.address)
  reader.resume()
  await expect.poll(() => atWorker.length).toBe(1)
  link.hold()
  await once(reader, 'close')
  far.close()
  link.close()
})
