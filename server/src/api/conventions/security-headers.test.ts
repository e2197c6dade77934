import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { securityHeaders } from './security-headers.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Sends bytes over TLS and reads until the server closes the connection. */
async function rawExchange(request: string): Promise<string> {
  const { hostname, port } = new URL(server.origin)
  const socket = connectTls({ host: hostname, port: Number(port), ca: server.ca, servername: 'localhost' })
  socket.end(request)
  return text(socket)
}

test.each([
  ['a page', '/', 200],
  ['the API document', '/docs/openapi.json', 200],
  ['the health', '/healthz', 200],
  ['a list', 'rooms', 200],
  ['an unknown route', '/nothing', 404],
  ['a file that is not there', '/media/recordings/none.mp4', 404],
  ['a path that is no URL', '/%', 400],
])('%s carries them', async (_name, path, status) => {
  const { headers, status: answered } = await server.call(path)
  expect(answered).toBe(status)
  expect(headers).toMatchObject(securityHeaders('127.0.0.1'))
})

test.each([
  ['no HTTP', 'NONSENSE\r\n\r\n'],
  [
    'an upgrade that is not served',
    'GET /none HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n'],
])('an answer to %s carries them', async (_name, request) => {
  const answer = await rawExchange(request)
  expect(answer).toMatch(/^HTTP\/1\.1 4/)
  for (const name of Object.keys(securityHeaders(''))) expect(answer.toLowerCase()).toContain(`\r\n${name}: `)
})

test('localhost is not held to HTTPS, since other programs serve there too', () => {
  expect(securityHeaders('localhost:8443')['strict-transport-security']).toBe('max-age=0')
  expect(securityHeaders('LOCALHOST')['strict-transport-security']).toBe('max-age=0')
  expect(securityHeaders('localhost.example.org')['strict-transport-security']).toMatch(/max-age=[1-9]/)
})
