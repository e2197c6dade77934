import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  Server as TlsServer,
} from 'node:tls'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StreamLossCause } from '../../../media/channel.ts'
import { issueCertificate, makeAuthority } from '../../../tls/authority.ts'
import { StreamRelay } from './stream-relay.ts'

vi.setConfig({ testTimeout: 30_000 })

const AGREEMENT = '..onStatus..NetStream.Publish.Start..'

let servers: Server[]
let relays: StreamRelay[]
beforeEach(() => {
  servers = []
  relays = []
})
afterEach(() => {
  for (const relay of relays) relay.close()
  for (const server of servers) server.close()
})

/** A server of the test's own. @returns its port and the first connection to it */
async function serve(server: Server = createServer()): Promise<{ port: number; connected: Promise<Socket> }> {
  servers.push(server)
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection'
  const connected = once(server, event).then(([socket]) => {
    socket.on('error', () => {})
    return socket as Socket
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, connected }
}

async function openRelay(port: number, fields: { tls?: boolean; host?: string } = {}) {
  const published = vi.fn()
  const { promise: lost, resolve } = Promise.withResolvers<{ cause: StreamLossCause; detail: string }>()
  const onLost = (cause: StreamLossCause, detail: string) => resolve({ cause, detail })
  const target = { host: 'live.test', address: '127.0.0.1', port, tls: false, ...fields }
  const relay = await StreamRelay.open({ target, onPublished: published, onLost })
  relays.push(relay)
  const local = connect(relay.port, '127.0.0.1')
  local.on('error', () => {})
  return { relay, local, published, lost }
}

test('carries everything in both directions, and knows when the destination has agreed', async () => {
  const { port, connected } = await serve()
  const { local, published } = await openRelay(port)
  local.write('hello')
  const remote = await connected
  expect(String((await once(remote, 'data'))[0])).toBe('hello')
  remote.write(AGREEMENT.slice(0, 20))
  expect(String((await once(local, 'data'))[0])).toBe(AGREEMENT.slice(0, 20))
  expect(published).not.toHaveBeenCalled()
  // Messages come in chunks, with a mark in front of each but the first.
  remote.write(Buffer.concat([Buffer.from([0xc5]), Buffer.from(AGREEMENT.slice(20) + AGREEMENT)]))
  await once(local, 'data')
  expect(published).toHaveBeenCalledOnce()
})

test('takes one connection: whoever comes second is sent away', async () => {
  const { port, connected } = await serve()
  const { relay } = await openRelay(port)
  await connected
  const second = connect(relay.port, '127.0.0.1')
  const [error] = await once(second, 'error')
  expect(error.code).toBe('ECONNREFUSED')
})

describe('tells why a stream is lost', () => {
  test('when nobody is there', async () => {
    const { port } = await serve()
    servers.pop()?.close()
    const { lost, local } = await openRelay(port)
    expect(await lost).toMatchObject({ cause: 'closed', detail: expect.stringMatching(/ECONNREFUSED/) })
    if (!local.closed) await once(local, 'close')
  })

  test('when the destination goes', async () => {
    const { port, connected } = await serve()
    const { lost } = await openRelay(port)
    ;(await connected).destroy()
    expect(await lost).toMatchObject({
      cause: 'closed',
      detail: expect.stringMatching(/closed the connection|ECONNRESET/),
    })
  })

  test('when the destination says nothing', async () => {
    const { port, connected } = await serve()
    const { lost, published } = await openRelay(port)
    await connected
    expect(await lost).toMatchObject({ cause: 'closed', detail: expect.stringMatching(/did not agree/) })
    expect(published).not.toHaveBeenCalled()
  })

  test('when the destination talks without end', async () => {
    const { port, connected } = await serve()
    const { lost, local } = await openRelay(port)
    let heard = 0
    local.on('data', (data) => {
      heard += data.length
    })
    const remote = await connected
    for (let i = 0; i < 100; i++) remote.write(Buffer.alloc(16 * 1024))
    expect(await lost).toMatchObject({ cause: 'closed', detail: expect.stringMatching(/sends more/) })
    expect(heard).toBeLessThanOrEqual(300 * 1024)
  })

  test('when the destination takes nothing any more', async () => {
    const { port, connected } = await serve()
    const { lost, local } = await openRelay(port)
    const remote = await connected
    remote.pause()
    remote.write(AGREEMENT)
    for (let megabyte = 0; megabyte < 40; megabyte++) local.write(Buffer.alloc(1024 * 1024))
    expect(await lost).toMatchObject({ cause: 'stalled' })
  })

  test('within ten seconds when a destination of an ordinary stream stops reading', async () => {
    const { port, connected } = await serve()
    const { lost, local } = await openRelay(port)
    const remote = await connected
    remote.write(AGREEMENT)
    remote.resume()
    // 1.5 Mbit/s: what the buffers of the system take up in 20 s, or more.
    const sending = setInterval(() => local.write(Buffer.alloc(18_750)), 100)
    try {
      await expect.poll(() => remote.bytesRead, { timeout: 10_000 }).toBeGreaterThan(300_000)
      remote.pause()
      const pausedAtMs = performance.now()
      expect(await lost).toMatchObject({ cause: 'stalled' })
      expect(performance.now() - pausedAtMs).toBeLessThan(10_000)
    } finally {
      clearInterval(sending)
    }
  })
})

test('that is closed tells nothing more', async () => {
  const { port, connected } = await serve()
  const { relay, lost, local } = await openRelay(port)
  await connected
  const told = vi.fn()
  void lost.then(told)
  relay.close()
  await once(local, 'close')
  expect(told).not.toHaveBeenCalled()
})

describe('with TLS', () => {
  async function serveTls(host: string) {
    const now = Date.now()
    const authority = await makeAuthority(now)
    const certificate = await issueCertificate(authority, [host], now)
    const server = createTlsServer({ cert: certificate.cert, key: certificate.key })
    server.on('tlsClientError', () => {})
    return { ...(await serve(server)), authority }
  }

  test('names the host, and wants a certificate for it', async () => {
    const { port, connected, authority } = await serveTls('live.test')
    const usual = getCACertificates('default')
    setDefaultCACertificates([...usual, authority.cert])
    try {
      const { local, published } = await openRelay(port, { tls: true })
      local.write('hello')
      const remote = (await connected) as Socket & { servername: string }
      expect(remote.servername).toBe('live.test')
      expect(String((await once(remote, 'data'))[0])).toBe('hello')
      remote.write(AGREEMENT)
      await vi.waitFor(() => expect(published).toHaveBeenCalled())
      const wrong = await openRelay(port, { tls: true, host: 'other.test' })
      expect(await wrong.lost).toMatchObject({ detail: expect.stringMatching(/altnames|other\.test/) })
    } finally {
      setDefaultCACertificates(usual)
    }
  })

  test('trusts nobody whom the system does not trust', async () => {
    const { port } = await serveTls('live.test')
    const { lost } = await openRelay(port, { tls: true })
    expect(await lost).toMatchObject({ cause: 'closed', detail: expect.stringMatching(/certificate/) })
  })
})
