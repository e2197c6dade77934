import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Access } from '../testing/rest.ts'
import { changed, type FuzzPlan, fuzz } from './fuzzing.ts'
import { LONGEST_ANSWER_MS } from './room-client.ts'

const CONNECTIONS_AT_ONCE = 20
/**
 * The server may wait for the rest of an incomplete request. This time is enough to see that the request harmed
 * nothing.
 */
const PATIENCE_MS = 300

const target = fc.oneof(
  fc.constantFrom(
    '/',
    '/relay',
    '/healthz',
    '/api/video/rooms',
    '//',
    '///',
    '/relay/',
    '//relay',
    '*',
    '',
    '?',
    '/%',
    '/%00',
  ),
  fc.constantFrom(
    'http://',
    'http://[',
    'https://a:b@c:99999/',
    'localhost:443',
    '\\\\',
    '/..//..',
    'http:',
    '/#',
    '[::1]',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 60 }).map((text) => `/${text}`),
  fc.constant(`/${'a'.repeat(20_000)}`),
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'CONNECT', 'OPTIONS', 'HEAD', 'PRI', 'get', '')
const header = fc.oneof(
  fc.constantFrom(
    'Host: localhost',
    'Host:',
    'Host: a b',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Connection: Upgrade',
    'Connection: close',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Version: 7',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Key: x',
    'Sec-WebSocket-Protocol: ,,,',
    'Sec-WebSocket-Extensions: permessage-deflate; a="',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Expect: 100-continue',
    'Expect: x',
    'Authorization: Basic Og==',
    'Authorization: Basic %%%',
    'Content-Type: application/json',
    'X-Forwarded-Host: a, b',
    'X-Forwarded-Proto: https',
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 80 }),
)

/** Valid and invalid upgrade requests, and requests of all kinds. */
const request = fc
  .tuple(
    method,
    target,
    fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2', ''),
    fc.array(header, { maxLength: 12 }),
  )
  .map(([verb, where, version, headers]) =>
    [`${verb} ${where} ${version}`, ...headers, '', 'body\r\n'].join('\r\n'),
  )

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: localhost',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')
const upgradeTo = target.map((where) => UPGRADE.replace('GET /', `GET ${where}`))
/** WebSocket frames to send after a successful upgrade: RFC 6455, section 5.2. */
const frames = [
  [0x81, 0x82, 1, 2, 3, 4, 0x7a, 0x7f],
  [0x81, 0x02, 0x7b, 0x7d],
  [0x89, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
  [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8],
  [0x00, 0x80, 0, 0, 0, 0],
  [0xc1, 0x80, 0, 0, 0, 0],
].map((bytes) => Buffer.from(bytes))

const text = (input: string) => Buffer.from(input, 'latin1')
const bytes = fc.oneof(
  { weight: 4, arbitrary: request.map(text) },
  { weight: 2, arbitrary: upgradeTo.map(text) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constant(UPGRADE), changed(frames))
      .map(([head, frame]) => Buffer.concat([text(head), frame])),
  },
  {
    weight: 2,
    arbitrary: changed([
      text(UPGRADE),
      text('POST /api/video/rooms HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'),
    ]),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
)
const input = fc.record({ bytes, secure: fc.boolean(), abrupt: fc.nat(9).map((n) => n === 0) })

/**
 * Sends raw bytes to the server's only port, with TLS and without. Every answer must be HTTP, and never a 5xx other
 * than 503.
 */
export function fuzzHttp(plan: FuzzPlan, access: Access): Promise<void> {
  const { port } = new URL(access.baseUrl)
  return fuzz(plan, input, CONNECTIONS_AT_ONCE, async (group) => {
    await Promise.all(
      group.map(async ({ bytes: sent, secure, abrupt }) => {
        const startedAt = performance.now()
        const answer = await exchange(
          secure ? connectTls({ port: Number(port), ca: access.ca }) : connectTcp(Number(port)),
          sent,
          abrupt,
        )
        const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]
        plan.tally.note(status ?? (answer === '' ? 'no answer' : 'other'), performance.now() - startedAt)
        // A server at its limit answers 503.
        if (status !== '503')
          expect(Number(status ?? 0), `${sent.toString('latin1').slice(0, 600)}\n-> ${answer}`).toBeLessThan(
            500,
          )
      }),
    )
  })
}

/** Sends, and waits for the beginning of an answer, the end of the connection, or the end of a short time-out. */
async function exchange(socket: Socket, sent: Buffer, abrupt: boolean): Promise<string> {
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', (data: Buffer) => {
    if (answer.length < 1000) answer += data.toString('latin1')
  })
  const ended = once(socket, 'close').catch(() => {})
  const stop = new AbortController()
  const ready = once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect', stop)
  const late = AbortSignal.timeout(LONGEST_ANSWER_MS)
  await Promise.race([ready, ended, once(late, 'abort')]).catch(() => {})
  expect(late.aborted, 'connects in time').toBe(false)
  socket.write(sent)
  // Only a TCP socket can be reset.
  if (abrupt && !('encrypted' in socket)) socket.resetAndDestroy()
  else if (abrupt) socket.destroy()
  const patience = AbortSignal.timeout(PATIENCE_MS)
  await Promise.race([ended, once(socket, 'data', stop).catch(() => {}), once(patience, 'abort')]).catch(
    () => {},
  )
  stop.abort()
  socket.destroy()
  return answer
}
