import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Containment } from '../containment.ts'
import { freePort } from '../testing/free-port.ts'
import { startTestServer, type TestServer } from '../testing/server-for-tests.ts'
import { issueCertificate, makeAuthority } from '../tls/authority.ts'
import { textAnswer } from './plain-answer.ts'
import { startPlainHttp } from './plain-http-server.ts'

let server: TestServer
let port: number

beforeAll(async () => {
  port = await freePort()
  server = await startTestServer({ PARLEY_HTTP_PORT: String(port) })
})
afterAll(() => server.stop())

async function ask(path: string, { method = 'GET', headers = {}, to = port } = {}) {
  const answer = await request(`http://127.0.0.1:${to}${path}`, { method: method as 'GET', headers })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

/** Sends bytes as they are. @returns everything that comes back until the connection is closed */
async function sendRaw(text: string, to = port): Promise<string> {
  const socket = connect(to, '127.0.0.1')
  let answer = ''
  socket.on('error', () => {})
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.write(text, 'latin1')
  await once(socket, 'close')
  return answer
}

describe("with the server's own certificate", () => {
  it('explains how to trust it, with the authority for download', async () => {
    const page = await ask('/')
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['set-cookie']).toBeUndefined()
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    const authority = new X509Certificate(server.ca)
    const shown = page.text.replaceAll('<wbr>', '')
    expect(shown).toContain(authority.fingerprint256)
    expect(page.text).toContain(`href="https://127.0.0.1:${server.running.address.port}/"`)
    expect(page.text).not.toMatch(/<script|style="|https?:\/\/(?!127\.0\.0\.1)/)

    const file = await ask('/parley-authority.crt')
    expect(file.headers['content-type']).toBe('application/x-x509-ca-cert')
    expect(new X509Certificate(file.text).fingerprint256).toBe(authority.fingerprint256)
    const head = await ask('/', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      page.headers['content-length'],
    ])
  })

  it('opens the steps of the visitor’s system, and keeps the page that was asked for', async () => {
    const opened = async (agent: string) =>
      /<details name="system" open><summary>([^<]*)/.exec(
        (await ask('/c/town-hall', { headers: { 'user-agent': agent } })).text,
      )?.[1]
    expect(await opened('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')).toBe('iPhone and iPad')
    expect(await opened('Mozilla/5.0 (Linux; Android 15; Pixel 9)')).toBe('Android')
    expect(await opened('Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
      'Windows',
    )
    expect(await opened('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0')).toMatch(/^Firefox/)
    expect(await opened('curl/8')).toBeUndefined()
    expect((await ask('/c/town-hall')).text).toContain(`:${server.running.address.port}/c/town-hall"`)
  })

  it('uses the name that the visitor used, and says when the certificate is not for it', async () => {
    const page = (host: string) => ask('/', { headers: { host } }).then(({ text }) => text)
    expect(await page('localhost:80')).not.toContain('is not for the name')
    const foreign = await page('meet.example.org')
    expect(foreign).toContain('is not for the name <b>meet.example.org</b>')
    // Port 80 is forwarded to this server, so 443 most likely is too.
    expect(foreign).toContain('href="https://meet.example.org/"')
  })

  it('takes no host and no path for markup', async () => {
    for (const host of [
      '"><script>alert(1)</script>',
      "x' onclick='y",
      'a/b',
      'user@host',
      '[::1',
      '1:99999',
    ]) {
      const text = await sendRaw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect(text, host).toMatch(/^HTTP\/1\.1 200/)
      expect(text, host).not.toContain(host)
      expect(text, host).toContain(`href="https://localhost:${server.running.address.port}/"`)
    }
    const text = await sendRaw('GET /"><script>alert(1)</script> HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(text).not.toContain('<script')
  })

  it('refuses what is no page, with no redirect, as the port for HTTPS does', async () => {
    const refused = [
      await ask('/api/video/rooms'),
      await ask('/', { method: 'POST' }),
      await ask('/', { method: 'DELETE' }),
      await ask('/api/video/rooms', { to: server.running.address.port }),
      await ask('/', { to: server.running.address.port }),
    ]
    for (const { status, headers } of refused) {
      expect(status).toBe(400)
      expect(headers.location).toBeUndefined()
    }
    expect((await ask('/favicon.ico')).status).toBe(404)
  })

  it('survives odd requests, and closes each connection', async () => {
    expect(await sendRaw('rubbish\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(await sendRaw('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03')).toMatch(/^HTTP\/1\.1 400/)
    expect(await sendRaw('GET / HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(await sendRaw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431/)
    expect(await sendRaw('GET http://other.example/ HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(await sendRaw('OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(await sendRaw('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
    for (const protocol of ['websocket', 'h2c', 'TLS/1.0', '']) {
      const upgrade = `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\n\r\n`
      expect(await sendRaw(`${upgrade}more bytes`), protocol).toMatch(/^HTTP\/1\.1 (200|400)/)
    }
    const body = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n${'x'.repeat(100_000)}`
    expect(await sendRaw(body)).toMatch(/^HTTP\/1\.1 400|^$/)
    expect((await ask('/')).status).toBe(200)
  })
})

describe("with the operator's certificate", () => {
  it('redirects pages to HTTPS, and nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-operator-'))
    const { cert, key } = await issueCertificate(
      await makeAuthority(Date.now()),
      ['meet.example.org'],
      Date.now(),
    )
    const files = { PARLEY_TLS_CERT: join(folder, 'cert.pem'), PARLEY_TLS_KEY: join(folder, 'key.pem') }
    writeFileSync(files.PARLEY_TLS_CERT, cert)
    writeFileSync(files.PARLEY_TLS_KEY, key)
    const to = await freePort()
    // The helper of the tests reads the authority, which this server does not make.
    const dataDir = join(folder, 'data')
    const first = await startTestServer({ PARLEY_DATA_DIR: dataDir })
    await first.stop()
    const env = { PARLEY_DATA_DIR: dataDir, PARLEY_HTTP_PORT: String(to), ...files }
    const operated = await startTestServer({
      ...env,
      PARLEY_PUBLIC_URL: 'https://meet.example.org',
      PARLEY_SERVICE_DOMAIN: 'spaces.example.org',
    })
    try {
      const page = await ask('/c/town-hall?x=%22&y', { to, headers: { host: 'evil.example' } })
      expect(page.status).toBe(307)
      expect(page.headers.location).toBe('https://meet.example.org/c/town-hall?x=%22&y')
      expect(page.headers['cache-control']).toBe('no-store')
      const space = await ask('/', { to, headers: { host: 'acme.spaces.example.org' } })
      expect(space.headers.location).toBe('https://acme.spaces.example.org/')
      expect((await ask('/parley-authority.crt', { to })).status).toBe(307)
      for (const path of ['/api/video/rooms', '/api']) expect((await ask(path, { to })).status).toBe(400)
      expect((await ask('/', { to, method: 'POST' })).status).toBe(400)
    } finally {
      await operated.stop()
      rmSync(folder, { recursive: true })
    }
  }, 20_000)
})

describe('the port', () => {
  const warnings: { reason: string }[] = []
  const log = { warn: (facts: { reason: string }) => warnings.push(facts) } as never
  const connections = { accept: () => true, active: () => {} }

  it('may be taken: the server warns who has it, and goes without', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const taken = (other.address() as AddressInfo).port
    const containment = new Containment(pino({ level: 'silent' }))
    const options = { host: '127.0.0.1', port: taken, connections, containment, log }
    expect(await startPlainHttp({ ...options, answer: async () => textAnswer(200, '') })).toBeNull()
    expect(warnings[0]?.reason).toMatch(new RegExp(`taken by .*process ${process.pid}.*PARLEY_HTTP_PORT`))
    const without = await startTestServer({ PARLEY_HTTP_PORT: String(taken) })
    expect(without.running.plainHttpUrl).toBeNull()
    expect((await without.call('/readyz')).status).toBe(200)
    await without.stop()
    other.close()
  })

  it('keeps a fault with its request, and counts connections with those of HTTPS', async () => {
    const faults: string[] = []
    const containment = new Containment({
      error: (_facts: unknown, text: string) => faults.push(text),
    } as never)
    let room = 1
    const to = await freePort()
    const plain = await startPlainHttp({
      host: '127.0.0.1',
      port: to,
      connections: { ...connections, accept: () => room-- > 0 },
      answer: () => Promise.reject(new Error('a fault')),
      containment,
      log,
    })
    expect(await sendRaw('GET / HTTP/1.1\r\nHost: x\r\n\r\n', to)).toBe('')
    expect(faults).toEqual(['a fault was contained'])
    expect(await sendRaw('GET / HTTP/1.1\r\nHost: x\r\n\r\n', to)).toBe('')
    expect(faults).toHaveLength(1)
    await plain?.stop()
  })
})

it('looks like the product', async () => {
  const { TOKENS } = await import('./trust-page/style.ts')
  const tokens = readFileSync(new URL('../../../web/src/tokens.css', import.meta.url), 'utf8')
  for (const [name, value] of Object.entries(TOKENS)) expect(tokens, name).toContain(`${name}: ${value};`)
})
