import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import DatabaseFile from 'better-sqlite3'
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicErrors } from '../../errors/catalogue.ts'
import { basic, startTestServer, type TestAnswer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** Checks the format of an error answer. */
function expectError(
  answer: TestAnswer,
  status: number,
  type: string,
  code: string,
  attribute: string | null = null,
) {
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  expect(Object.keys(answer.json)).toEqual(['errors'])
  expect(answer.json.errors).toEqual([
    { type, code, message: expect.any(String), attribute, url: `${server.origin}/errors#${code}` },
  ])
}

describe('the error body comes from every layer', () => {
  it('an unknown route', async () => {
    for (const path of ['/api/video/nothing', '/api/nothing', '/nothing', '/api/video/rooms/a/b/c']) {
      expectError(await server.call(path), 404, 'not_found_error', 'does_not_exist')
    }
    for (const path of [
      '//api/video/rooms',
      '/api/video//rooms',
      '/../etc/passwd',
      '/%2e%2e/%2e%2e/x',
      '/a/../b',
    ]) {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n\r\n`)
      expectError(answer, 404, 'not_found_error', 'does_not_exist')
    }
  })

  it('a method that the path does not have', async () => {
    expectError(await server.call('rooms', { method: 'DELETE' }), 404, 'not_found_error', 'does_not_exist')
    expectError(
      await server.call('rooms', { method: 'PATCH', body: {} }),
      404,
      'not_found_error',
      'does_not_exist',
    )
  })

  it.each([
    ['', 'not_a_valid_json'],
    ['{', 'not_a_valid_json'],
    ['{"name":"a"}}', 'not_a_valid_json'],
    ['{"name":"a","__proto__":{}}', 'not_a_valid_json'],
    ['[]', 'not_a_hash'],
    ['"text"', 'not_a_hash'],
    ['null', 'not_a_hash'],
    ['1', 'not_a_hash'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'not_a_valid_json'],
    [`{"meta":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'not_a_valid_json'],
  ])('a body like %.40j', async (rawBody, code) => {
    for (const [method, path] of [
      ['POST', 'rooms'],
      ['PUT', 'rooms/11111111-2222-4333-8444-555555555555'],
      ['POST', 'room_tokens'],
    ] as const) {
      expectError(await server.call(path, { method, rawBody }), 400, 'invalid_request_error', code)
    }
  })

  it.each(['{"__proto__":1}', '{"meta":{"constructor":{"prototype":1}}}'])(
    'keys that would change a prototype, in words: %s',
    async (rawBody) => {
      const answer = await server.call('rooms', { method: 'POST', rawBody })
      expectError(answer, 400, 'invalid_request_error', 'not_a_valid_json')
      expect(answer.json.errors[0].message).toMatch(/__proto__/)
    },
  )

  it('a body that is nested too deep, and one that is just not', async () => {
    const nested = (levels: number) => {
      const value = `${'{"a":'.repeat(levels - 1)}null${'}'.repeat(levels - 1)}`
      return server.call('rooms', { method: 'POST', rawBody: `{"name":"nested-${levels}","meta":${value}}` })
    }
    expect((await nested(64)).status).toBe(200)
    expectError(await nested(65), 400, 'invalid_request_error', 'not_a_valid_json')
  })

  it('no body at all', async () => {
    expectError(
      await server.call('rooms', { method: 'POST' }),
      400,
      'invalid_request_error',
      'not_a_valid_json',
    )
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'nonsense',
  ])('the content type %s', async (type) => {
    const answer = await server.call('rooms', {
      method: 'POST',
      rawBody: '{"name":"a"}',
      headers: { 'content-type': type },
    })
    expectError(answer, 400, 'invalid_request_error', 'invalid_content_type')
  })

  it('a body that is too large', async () => {
    const answer = await server.call('rooms', {
      method: 'POST',
      body: { name: 'a', filler: 'x'.repeat(200_000) },
    })
    expectError(answer, 400, 'invalid_request_error', 'character_limit_exceeded')
  })

  it('an address that cannot be decoded', async () => {
    expectError(await server.call('rooms/%zz'), 400, 'invalid_request_error', 'invalid_parameter')
  })

  it('an address that is too long for a name or an id', async () => {
    const long = 'x'.repeat(2000)
    expectError(await server.call(`rooms/${long}`), 404, 'not_found_error', 'does_not_exist', 'name')
    const session = await server.call(`room_sessions/${long}`)
    expectError(session, 400, 'invalid_request_error', 'invalid_parameter', 'id')
    const nobodys = await server.call(`rooms/${long}`, { credentials: null })
    expectError(nobodys, 401, 'authentication_error', 'token_invalid')
  })

  it('no credentials', async () => {
    const answer = await server.call('rooms', { credentials: null })
    expectError(answer, 401, 'authentication_error', 'token_invalid')
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="Parley"/)
  })

  it('a body where there is none to be', async () => {
    for (const rawBody of ['{}', '{', 'x']) {
      const answer = await server.call('rooms', { rawBody })
      expectError(answer, 400, 'invalid_request_error', 'cannot_process')
    }
    expect((await server.call('rooms', { headers: { 'content-type': 'application/json' } })).status).toBe(200)
    const chunked = `GET /nothing HTTP/1.1\r\nHost: ${host()}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`
    expectError(await raw(chunked), 400, 'invalid_request_error', 'cannot_process')
  })

  const host = () => new URL(server.origin).host

  async function raw(text: string, plain = false): Promise<TestAnswer> {
    const { port } = server.running.address
    const socket = plain ? connect(port, '127.0.0.1') : connectTls({ port, host: '127.0.0.1', ca: server.ca })
    socket.on('error', () => {})
    socket.write(text)
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    await once(socket, 'close')
    const [head = '', body = ''] = received.split('\r\n\r\n')
    const [, type] = /content-type: (.*)/i.exec(head) ?? []
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/i)
    return {
      status: Number(head.split(' ')[1]),
      headers: { 'content-type': type },
      text: body,
      json: JSON.parse(body),
    }
  }

  it('headers that are too long', async () => {
    const answer = await raw(
      `GET /api/video/rooms HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    )
    expectError(answer, 400, 'invalid_request_error', 'header_value_too_long')
  })

  it('what is no HTTP', async () => {
    expectError(await raw('HELLO\r\n\r\n'), 400, 'invalid_request_error', 'cannot_process')
    const smuggled = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'
    expectError(await raw(smuggled), 400, 'invalid_request_error', 'cannot_process')
    const withoutHost = 'GET /api/video/rooms HTTP/1.1\r\n\r\n'
    expectError(await raw(withoutHost), 400, 'invalid_request_error', 'cannot_process')
    const withTwo = `GET /nothing HTTP/1.1\r\nHost: ${host()}\r\nhost: b\r\n\r\n`
    expectError(await raw(withTwo), 400, 'invalid_request_error', 'cannot_process')
    const tunnel = 'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n'
    expectError(await raw(tunnel), 404, 'not_found_error', 'does_not_exist')
    const expecting = `GET /nothing HTTP/1.1\r\nHost: ${host()}\r\nExpect: tea\r\nConnection: close\r\n\r\n`
    expectError(await raw(expecting), 404, 'not_found_error', 'does_not_exist')
  })

  it('what is no HTTP behind requests that are, after their answers', async () => {
    const { port } = server.running.address
    const socket = connectTls({ port, host: '127.0.0.1', ca: server.ca })
    const get = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic(server.projectId, server.apiToken)}\r\n\r\n`
    socket.write(`${get('/api/video/rooms')}${get('/api/video/room_sessions')}HELLO\r\n\r\n`)
    const received = await text(socket)
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400'])
    expect(received.split('HTTP/1.1 400')[1]).toContain('"code":"cannot_process"')
  })

  it('plain HTTP, whatever is asked for', async () => {
    for (const path of ['/', '/healthz', '/api/video/rooms', '/nothing', '/api/video/rooms/%zz']) {
      const answer = await raw(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.running.address.port}\r\n\r\n`,
        true,
      )
      expectError(answer, 400, 'invalid_request_error', 'cannot_process')
      expect(answer.text).toContain('HTTPS')
    }
    const tunnel = 'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n'
    expectError(await raw(tunnel, true), 400, 'invalid_request_error', 'cannot_process')
    const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    expectError(await raw(upgrade, true), 400, 'invalid_request_error', 'cannot_process')
  })

  it('a forged Host header does not get into links', async () => {
    const answer = await raw('GET /nothing HTTP/1.1\r\nHost: a"><script>\r\nConnection: close\r\n\r\n')
    expect(answer.json.errors[0].url).toMatch(/^https:\/\/localhost:\d+\/errors#does_not_exist$/)
  })
})

it('takes a target that names the host for the path at that host', async () => {
  const agent = new Agent({ connect: { ca: server.ca } })
  const headers = { authorization: basic(server.projectId, server.apiToken) }
  const get = async (path: string) => {
    const target = `https://meet.example.org${path}`
    const { body } = await agent.request({ origin: server.origin, path: target, method: 'GET', headers })
    return body.json()
  }
  const self = '/api/video/rooms?page_number=0&page_size=50'
  expect(await get('/api/video/rooms')).toMatchObject({ links: { self } })
  const more_info = 'https://meet.example.org/errors#does_not_exist'
  expect(await get('/api/laml/nothing')).toMatchObject({ code: 'does_not_exist', more_info })
  await agent.close()
})

it('explains all codes on a page of its own', async () => {
  const page = await server.call('/errors', { credentials: null })
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toMatch(/^text\/html/)
  for (const code of Object.keys(publicErrors)) expect(page.text).toContain(`<dt id="${code}">`)
  expect(Object.keys(publicErrors)).toHaveLength(238)
})

it('names every request in its answer', async () => {
  const own = await server.call('rooms')
  expect(own.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  const given = await server.call('rooms', { headers: { 'x-request-id': 'trace-7' } })
  expect(given.headers['x-request-id']).toBe('trace-7')
  const unreadable = await server.call('rooms/%zz', { headers: { 'x-request-id': 'trace-8' } })
  expect(unreadable.headers['x-request-id']).toBe('trace-8')
  const hostile = await server.call('nothing', { headers: { 'x-request-id': 'a b"c' } })
  expect(hostile.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
})

it('does not tell what broke inside', async () => {
  const broken = new DatabaseFile(join(server.dataDir, 'parley.db'))
  broken.exec('alter table room_recordings rename to gone')
  const answer = await server.call('room_recordings')
  broken.exec('alter table gone rename to room_recordings')
  broken.close()
  expectError(answer, 500, 'internal_error', 'internal_error_occurred')
  expect(answer.text).not.toMatch(/sql|table|gone/i)
  expect((await server.call('room_recordings')).status).toBe(200)
})
