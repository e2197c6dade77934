import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serverCertificate, UnusableCertificate } from './certificate.ts'
import { createOnePortServer } from './one-port.ts'
import { authorityFile, machineNames, ownCertificate } from './own-certificates.ts'

const DAY_MS = 24 * 60 * 60 * 1000
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-tls-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

describe('our own certificates', () => {
  it('cover the machine and are kept', async () => {
    const names = machineNames(['meet.example.org', '0.0.0.0'])
    expect(names).toContain('meet.example.org')
    expect(names).not.toContain('0.0.0.0')
    const first = await ownCertificate(dataDir, names, Date.now())
    expect(await ownCertificate(dataDir, names, Date.now())).toEqual(first)
    const cert = new X509Certificate(first.cert)
    const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
    for (const { address } of addresses.filter((entry) => !entry.address.startsWith('fe80'))) {
      expect(cert.checkIP(address)).toBeDefined()
    }
    expect(cert.checkHost('localhost')).toBe('localhost')
    expect(cert.checkHost('evil.example.org')).toBeUndefined()
    const authority = new X509Certificate(readFileSync(authorityFile(dataDir)))
    expect(authority.ca).toBe(true)
    expect(cert.ca).toBe(false)
    expect(cert.checkIssued(authority)).toBe(true)
    for (const file of ['ca-key.pem', 'server-key.pem']) {
      expect(statSync(join(dataDir, 'tls', file)).mode & 0o777).toBe(0o600)
    }
  })

  it('are renewed by the kept authority when a name comes or the end is near', async () => {
    const now = Date.now()
    const first = await ownCertificate(dataDir, ['localhost'], now)
    const authority = readFileSync(authorityFile(dataDir), 'utf8')
    const renamed = await ownCertificate(dataDir, ['localhost', '192.0.2.7'], now)
    expect(renamed.cert).not.toBe(first.cert)
    expect(await ownCertificate(dataDir, ['localhost'], now)).toEqual(renamed)
    const later = await ownCertificate(dataDir, ['localhost'], now + 340 * DAY_MS)
    expect(later.cert).not.toBe(renamed.cert)
    expect(readFileSync(authorityFile(dataDir), 'utf8')).toBe(authority)
    expect(new X509Certificate(later.cert).verify(new X509Certificate(authority).publicKey)).toBe(true)
  })

  it('follow an authority that had to be replaced', async () => {
    const now = Date.now()
    const first = await ownCertificate(dataDir, ['localhost'], now)
    const authority = readFileSync(authorityFile(dataDir), 'utf8')
    const later = await ownCertificate(dataDir, ['localhost'], now + 3400 * DAY_MS)
    expect(readFileSync(authorityFile(dataDir), 'utf8')).not.toBe(authority)
    expect(later.cert).not.toBe(first.cert)
  })

  it('are made anew when a crash left a key without its certificate', async () => {
    const first = await ownCertificate(dataDir, ['localhost'], Date.now())
    writeFileSync(join(dataDir, 'tls', 'server.pem'), 'half of')
    const second = await ownCertificate(dataDir, ['localhost'], Date.now())
    expect(second.cert).not.toBe(first.cert)
  })
})

describe('the certificate of a server with spaces', () => {
  it('is for each of them, and made anew where it was not', async () => {
    const settings = {
      dataDir,
      host: '0.0.0.0',
      publicUrl: null,
      announcedIp: null,
      tlsCert: null,
      tlsKey: null,
    }
    const before = await serverCertificate({ ...settings, serviceDomain: null }, Date.now())
    const spaced = { ...settings, serviceDomain: 'meet.example.org' }
    const after = await serverCertificate(spaced, Date.now())
    expect(after).not.toEqual(before)
    const parsed = new X509Certificate(after.cert)
    for (const host of [
      'acme.meet.example.org',
      'globex.meet.example.org',
      'meet.example.org',
      'localhost',
    ]) {
      expect(parsed.checkHost(host), host).toBeTruthy()
    }
    expect(parsed.checkHost('a.b.meet.example.org')).toBeUndefined()
    expect(await serverCertificate(spaced, Date.now())).toEqual(after)
  })
})

describe("the operator's certificate", () => {
  const settings = { host: '0.0.0.0', publicUrl: null, serviceDomain: null, announcedIp: null }

  it('is served as it is, and nothing else is made', async () => {
    const { cert, key } = await ownCertificate(dataDir, ['localhost'], Date.now())
    const [tlsCert, tlsKey] = [join(dataDir, 'my.pem'), join(dataDir, 'my-key.pem')]
    writeFileSync(tlsCert, cert)
    writeFileSync(tlsKey, key)
    const empty = join(dataDir, 'empty')
    expect(await serverCertificate({ ...settings, dataDir: empty, tlsCert, tlsKey }, Date.now())).toEqual({
      cert,
      key,
    })
    expect(() => statSync(empty)).toThrow()
  })

  it('is refused in words when it is missing, garbled or of another key', async () => {
    const { cert } = await ownCertificate(dataDir, ['localhost'], Date.now())
    const { key } = await ownCertificate(join(dataDir, 'other'), ['localhost'], Date.now())
    const write = (name: string, text: string) => {
      writeFileSync(join(dataDir, name), text)
      return join(dataDir, name)
    }
    const attempt = (tlsCert: string, tlsKey: string) =>
      serverCertificate({ ...settings, dataDir, tlsCert, tlsKey }, Date.now())
    await expect(attempt('/nonexistent/cert.pem', 'key.pem')).rejects.toThrow(/PARLEY_TLS_CERT.*ENOENT/)
    await expect(attempt(write('a', 'garbage'), write('b', 'garbage'))).rejects.toThrow(UnusableCertificate)
    await expect(attempt(write('c', cert), write('d', key))).rejects.toThrow(/not the key of/)
  })
})

describe('one port', () => {
  async function serve() {
    const { cert, key } = await ownCertificate(dataDir, ['localhost', '127.0.0.1'], Date.now())
    const server = createOnePortServer({ cert, key }, (request, response) => {
      const encrypted = 'encrypted' in request.socket
      let size = 0
      request.on('data', (chunk: Buffer) => {
        size += chunk.length
      })
      request.on('end', () => response.end(JSON.stringify({ encrypted, size })))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ca = readFileSync(authorityFile(dataDir))
    return { server, port, ca, close: () => new Promise((resolve) => server.close(resolve)) }
  }

  async function answer(request: ReturnType<typeof httpRequest>, body: Buffer) {
    request.end(body)
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response) text += chunk
    return JSON.parse(text)
  }

  it('serves TLS and plain HTTP, bodies of every size whole', async () => {
    const { port, ca, close } = await serve()
    for (const size of [0, 1, 100_000]) {
      const body = Buffer.alloc(size, 'x')
      const options = { port, host: '127.0.0.1', method: 'POST', agent: false }
      expect(await answer(httpsRequest({ ...options, ca }), body)).toEqual({ encrypted: true, size })
      expect(await answer(httpRequest(options), body)).toEqual({ encrypted: false, size })
    }
    await close()
  })

  it('takes a TLS handshake that arrives byte by byte', async () => {
    const { port, ca, close } = await serve()
    const raw = connect(port, '127.0.0.1')
    await once(raw, 'connect')
    const slow = new (await import('node:stream')).Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        const [first, rest] = [chunk.subarray(0, 1), chunk.subarray(1)]
        raw.write(first)
        setImmediate(() => raw.write(rest, () => done()))
      },
    })
    raw.on('data', (chunk) => slow.push(chunk))
    const secure = connectTls({ socket: slow as never, ca, servername: 'localhost' })
    await once(secure, 'secureConnect')
    expect(secure.authorized).toBe(true)
    secure.destroy()
    raw.destroy()
    await close()
  })

  it('hands over upgrades of both kinds', async () => {
    const { server, port, ca, close } = await serve()
    const kinds: boolean[] = []
    server.on('upgrade', (request, socket) => {
      kinds.push('encrypted' in request.socket)
      socket.end('HTTP/1.1 418 Teapot\r\n\r\n')
    })
    const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    for (const socket of [connect(port, '127.0.0.1'), connectTls({ port, host: '127.0.0.1', ca })]) {
      socket.write(upgrade)
      const [data] = await once(socket, 'data')
      expect(String(data)).toContain('418')
      socket.destroy()
    }
    expect(kinds).toEqual([false, true])
    await close()
  })

  it('closes while clients that said nothing are connected', async () => {
    const { port, close } = await serve()
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    const closed = once(silent, 'close')
    await close()
    await closed
  })

  it('survives clients that hang up at once or send rubbish', async () => {
    const { port, ca, close } = await serve()
    for (const first of ['', '\x16', '\x16\x03\x01\xff\xff', '\x00\x00', 'GET']) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(first)
      socket.resetAndDestroy()
    }
    const options = { port, host: '127.0.0.1', method: 'POST', agent: false, ca }
    expect(await answer(httpsRequest(options), Buffer.alloc(3))).toEqual({ encrypted: true, size: 3 })
    await close()
  })
})
