import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent as HttpsAgent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type PeerCertificate } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Pebble, startPebble } from '../testing/acme/pebble.ts'
import { freePort } from '../testing/free-port.ts'
import { startTestServer, type TestServer } from '../testing/server-for-tests.ts'
import { lastAttempt } from './kept-certificates.ts'

const NAME = 'meet.example.org'
let folder: string
let httpPort: number
let port: number
let pebble: Pebble | undefined
const servers: TestServer[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-acme-'))
  httpPort = await freePort()
  port = await freePort()
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  pebble?.stop()
  pebble = undefined
  rmSync(folder, { recursive: true })
})

async function start(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer({
    PARLEY_DATA_DIR: folder,
    PARLEY_PORT: String(port),
    PARLEY_HTTP_PORT: String(httpPort),
    PARLEY_PUBLIC_URL: `https://${NAME}:${port}`,
    ...pebble?.env,
    ...env,
  })
  servers.push(server)
  return server
}

async function stop(server: TestServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1)
  await server.stop()
}

/** The certificate that a client gets who asks for a name, or for none. */
async function served(name: string | undefined): Promise<PeerCertificate> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false }
  const socket = connectTls(name === undefined ? options : { ...options, servername: name })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerCertificate()
  socket.destroy()
  return certificate
}

const isPebbles = async (name?: string) => /Pebble/.test(String((await served(name)).issuer.CN))
const issued = (name?: string) =>
  vi.waitFor(async () => expect(await isPebbles(name)).toBe(true), { timeout: 15_000, interval: 100 })
const certificateFile = (name = NAME) => join(folder, 'tls', 'acme', `${name}.pem`)

describe('a server with ACME', () => {
  it('serves its own certificate until it has one, and takes that up without dropping anybody', async () => {
    // Slow enough to see what comes before.
    pebble = await startPebble({ httpPort, tlsPort: 1 }, { PEBBLE_VA_NOSLEEP: '', PEBBLE_VA_SLEEPTIME: '2' })
    const server = await start()
    expect(await isPebbles(NAME)).toBe(false)
    const page = () => fetch(`http://127.0.0.1:${httpPort}/c/x`, { redirect: 'manual' })
    expect((await page()).status).toBe(200)
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: 1, ca: server.ca, servername: 'localhost' })
    const ask = async () => {
      const asked = request({ port, host: '127.0.0.1', path: '/healthz', agent }).end()
      const [answer] = await once(asked, 'response')
      answer.resume()
      await once(answer, 'end')
      return { status: answer.statusCode, socket: asked.socket }
    }
    const { socket } = await ask()

    await issued(NAME)
    expect(await isPebbles()).toBe(true)
    const again = await ask()
    expect(again.status).toBe(200)
    expect(again.socket).toBe(socket)
    agent.destroy()
    expect((await page()).headers.get('location')).toBe(`https://${NAME}:${port}/c/x`)
    expect((await served(NAME)).subjectaltname).toBe(`DNS:${NAME}`)
    for (const file of [certificateFile(), join(folder, 'tls', 'acme', 'account-key.pem')]) {
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    }
    // What is kept is served by the next start, and the authority is not asked.
    const kept = readFileSync(certificateFile(), 'utf8')
    const orders = pebble.count('Added order')
    expect(orders).toBeGreaterThan(0)
    await stop(server)
    const next = await start()
    expect(await isPebbles(NAME)).toBe(true)
    expect(next.running.authorityFile).toBeNull()
    expect(readFileSync(certificateFile(), 'utf8')).toBe(kept)
    expect(pebble.count('Added order')).toBe(orders)
  }, 60_000)

  it('proves its names over TLS where there is no plain HTTP, a certificate for each', async () => {
    pebble = await startPebble({ httpPort: 1, tlsPort: port })
    await start({ PARLEY_HTTP_PORT: 'off', PARLEY_SERVICE_DOMAIN: 'spaces.example.org' })
    await issued(NAME)
    await vi.waitFor(
      async () => expect((await served('spaces.example.org')).subjectaltname).toBe('DNS:spaces.example.org'),
      { timeout: 10_000, interval: 100 },
    )
    // Clients of another name get the certificate of the main one, and those of the check nothing without a challenge.
    expect((await served('other.example.org')).subjectaltname).toBe(`DNS:${NAME}`)
    const options = { port, host: '127.0.0.1', servername: NAME, rejectUnauthorized: false }
    const check = connectTls({ ...options, ALPNProtocols: ['acme-tls/1'] })
    const [refused] = await once(check, 'error')
    expect(refused.message).toMatch(/no application protocol/)
  }, 30_000)

  it('goes on with its own certificate when the name leads elsewhere, says why, and does not ask again at once', async () => {
    pebble = await startPebble({ httpPort: await freePort(), tlsPort: await freePort() })
    const server = await start()
    const record = () => lastAttempt(folder, NAME)
    await vi.waitFor(async () => expect((await record())?.failures).toBe(1), 15_000)
    const { problem, nextTryAt, lastTriedAt } = (await record()) ?? never()
    expect(problem).toMatch(/tls-alpn-01: .*http-01: .*firewall/)
    expect((nextTryAt ?? 0) - lastTriedAt).toBeGreaterThan(10 * 60_000)
    expect(await isPebbles(NAME)).toBe(false)
    expect((await server.call('/readyz')).status).toBe(200)
    const orders = pebble.count('Added order')
    expect(orders).toBe(2)
    await stop(server)
    await start()
    expect(pebble.count('Added order')).toBe(orders)
    expect((await record())?.failures).toBe(1)
  }, 30_000)
})

function never(): never {
  throw new Error('there is a record')
}
