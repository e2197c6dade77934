import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

it.each([
  ['rooms', 'GET, HEAD, OPTIONS, POST'],
  ['rooms/some-room', 'DELETE, GET, HEAD, OPTIONS, PUT'],
  ['room_tokens', 'OPTIONS, POST'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'GET, HEAD, OPTIONS'],
])('OPTIONS tells the methods of %s, without credentials', async (path, methods) => {
  const answer = await server.call(path, { method: 'OPTIONS', credentials: null })
  expect(answer.status).toBe(204)
  expect(answer.headers.allow).toBe(methods)
  expect(answer.text).toBe('')
})

it('HEAD answers like GET, without the body', async () => {
  const get = await server.call('rooms')
  const head = await server.call('rooms', { method: 'HEAD' })
  expect(head.status).toBe(200)
  expect(head.text).toBe('')
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
  expect(head.headers['content-type']).toBe(get.headers['content-type'])
})

it('HEAD without credentials is refused, with the headers of the refusal', async () => {
  const answer = await server.call('rooms', { method: 'HEAD', credentials: null })
  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toBeDefined()
  expect(answer.text).toBe('')
})

it('a path that is not there does not answer OPTIONS either', async () => {
  const answer = await server.call('nothing', { method: 'OPTIONS', credentials: null })
  expect(answer.status).toBe(404)
  expect(answer.json.errors[0].code).toBe('does_not_exist')
})
