import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { issueCertificate, makeAuthority } from '../tls/authority.ts'
import { createOnePortServer } from '../tls/one-port.ts'
import { type Challenges, createChallenges } from './challenges.ts'

const NAME = 'meet.example.org'
let challenges: Challenges
let server: ReturnType<typeof createOnePortServer>
let port: number

beforeEach(async () => {
  const own = await issueCertificate(await makeAuthority(Date.now()), [NAME], Date.now())
  challenges = createChallenges()
  server = createOnePortServer(
    own,
    (_request, response) => response.end('page'),
    undefined,
    challenges.diversion,
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
})

/** Names the issuer of the certificate that a client gets, or the error of its handshake. */
async function handshake(options: ConnectionOptions = {}): Promise<string> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: NAME,
    rejectUnauthorized: false,
    ...options,
  })
  return new Promise((resolve) => {
    socket.once('error', (error) => resolve(error.message))
    socket.once('secureConnect', () => {
      resolve(issuerOf(socket))
      socket.destroy()
    })
  })
}

const issuerOf = (socket: TLSSocket) =>
  String(socket.getPeerCertificate().issuer.CN).replace(/ [0-9a-f]{8}$/, '')
const asAuthority = { ALPNProtocols: ['acme-tls/1'] }

async function offer(): Promise<() => void> {
  const authority = await makeAuthority(Date.now())
  return challenges.offerTls(NAME, await issueCertificate(authority, [NAME], Date.now()))
}

/** A connection whose bytes are sent one by one. */
function slowly(): Duplex {
  const raw = connect(port, '127.0.0.1').setNoDelay()
  const slow = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      const send = (at: number) => {
        if (at === chunk.length) done()
        else raw.write(chunk.subarray(at, at + 1), () => setImmediate(send, at + 1))
      }
      send(0)
    },
  })
  raw.on('data', (chunk) => slow.push(chunk))
  raw.on('close', () => slow.destroy())
  return slow
}

it('shows a proof to the authority alone, while it is offered', async () => {
  expect(await handshake(asAuthority)).toMatch(/no application protocol/)
  const withdraw = await offer()
  const proof = connectTls({
    port,
    host: '127.0.0.1',
    servername: NAME,
    rejectUnauthorized: false,
    ...asAuthority,
  })
  await once(proof, 'secureConnect')
  expect(proof.alpnProtocol).toBe('acme-tls/1')
  const shown = proof.getPeerX509Certificate()?.fingerprint256
  proof.destroy()
  const [visitor] = await Promise.all([
    new Promise<string | undefined>((resolve) => {
      const socket = connectTls(
        { port, host: '127.0.0.1', servername: NAME, rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256)
          socket.destroy()
        },
      )
    }),
    handshake(asAuthority),
  ])
  expect(visitor).not.toBe(shown)
  expect(await handshake({ ...asAuthority, servername: 'other.example.org' })).toMatch(
    /alert|disconnect|hang|ECONNRESET/,
  )
  withdraw()
  expect(await handshake(asAuthority)).toMatch(/no application protocol/)
})

it('serves everybody else meanwhile, however their first message comes', async () => {
  await offer()
  expect(await handshake()).toBe('Parley authority')
  expect(await handshake({ socket: slowly() as never })).toBe('Parley authority')
  for (const rubbish of [
    '\x16',
    '\x16\x03\x01\xff\xff',
    '\x16\x03\x01\x00\x05hello',
    '\x16\x03\x01\x00\x0b\x0aacme-tls/1',
  ]) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}).resume()
    socket.write(rubbish, 'latin1')
    if (rubbish.length > 6) await once(socket, 'close')
    else socket.resetAndDestroy()
  }
  const plain = await fetch(`http://127.0.0.1:${port}/`)
  expect(await plain.text()).toBe('page')
})

it('stops while the authority is connected and says nothing', async () => {
  await offer()
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {}).resume()
  // A complete record that begins a handshake, and offers the protocol, but is none.
  socket.write(
    Buffer.concat([Buffer.from([0x16, 3, 1, 0, 60, 1, 0, 0, 100]), Buffer.from('\x0aacme-tls/1'.padEnd(56))]),
  )
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await new Promise<void>((resolve) => server.getConnections(() => resolve()))
  const stopped = once(server, 'close')
  server.close()
  await Promise.all([closed, stopped])
})

it('answers over plain HTTP only what is offered', () => {
  const withdraw = challenges.offerHttp('token', 'token.thumbprint')
  expect(challenges.answerTo('token')).toBe('token.thumbprint')
  for (const other of ['', 'Token', '__proto__', '../token'])
    expect(challenges.answerTo(other)).toBeUndefined()
  withdraw()
  expect(challenges.answerTo('token')).toBeUndefined()
})
