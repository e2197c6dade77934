import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import {
  addUser,
  browserWith,
  cookieIn,
  enter,
  FROM_PAGE,
  PASSWORD,
  type SignedInBrowser,
  signIn,
  withoutEmpty,
} from '../../testing/signed-in-user.ts'

let server: TestServer
let viewer: SignedInBrowser
let operator: SignedInBrowser
let owner: SignedInBrowser
beforeAll(async () => {
  server = await startTestServer({
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
  })
  for (const role of ['viewer', 'operator', 'owner'] as const) {
    await addUser(server.storage, server.projectId, `${role}@example.org`, role)
  }
  viewer = await signIn(server, 'viewer@example.org')
  operator = await signIn(server, 'operator@example.org')
  owner = await signIn(server, 'owner@example.org')
})
afterAll(() => server.stop())

const me = (headers: Record<string, string>) =>
  server.call('/api/dashboard/me', { credentials: null, headers: { ...FROM_PAGE, ...headers } })

describe('signing in', () => {
  it('sets a cookie that only this host gets, over HTTPS, and no script reads', async () => {
    const answer = await enter(server, 'Viewer@Example.org')
    expect(answer.status).toBe(204)
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-parley=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
      // Pages see by it that they may have a session.
      'parley-session=1; Path=/; Secure; SameSite=Lax',
    ])
    expect((await me({ cookie: cookieIn(answer) })).json).toMatchObject({
      project: { id: server.projectId },
      person: { name: 'viewer@example.org', role: 'viewer', has_password: true },
      may: ['read'],
    })
  })

  it('stores only the hash of the secret', async () => {
    const [, secret = ''] = viewer.cookie.split('=')
    const [user] = await server.storage.users.findByName('viewer@example.org', 1)
    const rows = await server.storage.userSessions.listOfUser(server.projectId, user?.id ?? '')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it.each([
    ['a wrong password', 'viewer@example.org', 'not the password'],
    ['an unknown name', 'nobody@example.org', PASSWORD],
    ['a name with a trick', `' or 1=1 --`, PASSWORD],
  ])('refuses %s in the same words', async (_, name, password) => {
    const { status, json, headers } = await enter(server, name, password)
    expect([status, json.errors[0].code, json.errors[0].message]).toEqual([
      401,
      'token_invalid',
      'The credentials are missing or wrong.',
    ])
    expect(headers['set-cookie']).toBeUndefined()
    // `Basic` would make the browser ask in a window of its own.
    expect(headers['www-authenticate']).toBe('Cookie realm="Parley"')
  })

  it('refuses a password of a megabyte without hashing it', async () => {
    const { status, json } = await enter(server, 'viewer@example.org', 'x'.repeat(100_000))
    expect([status, json.errors[0].attribute]).toEqual([422, 'password'])
    const huge = await enter(server, 'viewer@example.org', 'x'.repeat(1_000_000)).catch(() => ({
      status: 400,
    }))
    expect(huge.status).toBe(400)
  })

  it('never takes over a secret that was there before (fixation)', async () => {
    const planted = `__Host-parley=${'A'.repeat(43)}`
    const answer = await enter(server, 'viewer@example.org', PASSWORD, { headers: { cookie: planted } })
    expect(cookieIn(answer)).not.toBe(planted)
    expect((await me({ cookie: planted })).status).toBe(401)
    const again = await enter(server, 'viewer@example.org', PASSWORD, {
      headers: { cookie: cookieIn(answer) },
    })
    // The session that the browser had has ended.
    expect((await me({ cookie: cookieIn(answer) })).status).toBe(401)
    expect((await me({ cookie: cookieIn(again) })).status).toBe(200)
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['no page', { 'sec-fetch-site': '' }],
    ['a page without origin', { 'sec-fetch-site': '', origin: 'null' }],
    ['a lookalike', { 'sec-fetch-site': '', origin: 'https://127.0.0.1.evil.example' }],
  ])('is not possible from %s', async (_, headers) => {
    const answer = await enter(server, 'viewer@example.org', PASSWORD, { headers })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })

  it('is possible by the origin alone, for browsers without Sec-Fetch-Site', async () => {
    const { status } = await server.call('/api/dashboard/session', {
      method: 'PUT',
      credentials: null,
      body: { name: 'viewer@example.org', password: PASSWORD },
      headers: { origin: server.origin },
    })
    expect(status).toBe(204)
  })

  it('ends with signing out: the cookie is worth nothing, also a copy of it', async () => {
    const browser = await signIn(server, 'viewer@example.org')
    const answer = await browser.call('/api/dashboard/session', { method: 'DELETE' })
    expect([answer.status, cookieIn(answer)]).toEqual([204, ''])
    expect((await browser.call('/api/dashboard/me')).status).toBe(401)
  })
})

describe('who the caller is', () => {
  it('is told for an API token by its scopes', async () => {
    expect((await server.call('/api/dashboard/me')).json).toEqual({
      project: { id: server.projectId, name: 'First project' },
      person: null,
      may: ['read', 'operate', 'administer'],
      csrf_token: null,
    })
  })

  it('is told for each role', async () => {
    const may = async (browser: SignedInBrowser) => (await browser.call('/api/dashboard/me')).json.may
    expect(await may(viewer)).toEqual(['read'])
    expect(await may(operator)).toEqual(['read', 'operate'])
    expect(await may(owner)).toEqual(['read', 'operate', 'administer'])
  })

  it('is not told to pages of other sites, even if the browser sends the cookie', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await me({ cookie: viewer.cookie, 'sec-fetch-site': site })).status).toBe(401)
    }
  })

  it('is the API token when a request has both', async () => {
    const both = await server.call('/api/dashboard/me', { headers: { cookie: viewer.cookie } })
    expect(both.json.person).toBeNull()
    const wrong = { user: server.projectId, password: 'wrong' }
    const answer = await server.call('/api/dashboard/me', {
      credentials: wrong,
      headers: { cookie: viewer.cookie },
    })
    expect(answer.status).toBe(401)
  })
})

describe('changes with a session', () => {
  let count = 0
  const create = (headers: Record<string, string>) =>
    server.call('rooms', {
      method: 'POST',
      credentials: null,
      body: { name: `room-${++count}` },
      headers: withoutEmpty({ cookie: operator.cookie, ...headers }),
    })

  it('need a page of this server and its token', async () => {
    const good = { ...FROM_PAGE, 'x-csrf-token': operator.csrf }
    expect((await create(good)).status).toBe(200)
    expect((await create({ origin: server.origin, 'x-csrf-token': operator.csrf })).status).toBe(200)
  })

  it.each([
    ['no token', {}],
    ['a blank token', { 'x-csrf-token': ' ' }],
    ['a token of another session', { 'x-csrf-token': 'viewer' }],
    ['another origin', { 'x-csrf-token': 'own', origin: 'https://evil.example' }],
    ['another port', { 'x-csrf-token': 'own', origin: 'https://127.0.0.1:1' }],
    ['plain HTTP', { 'x-csrf-token': 'own', origin: 'http://127.0.0.1' }],
    ['no sign of a page', { 'x-csrf-token': 'own', 'sec-fetch-site': '' }],
    ['an address that was typed', { 'x-csrf-token': 'own', 'sec-fetch-site': 'none' }],
  ])('are refused with %s', async (_, forged: Record<string, string>) => {
    const tokens: Record<string, string> = { own: operator.csrf, viewer: viewer.csrf }
    const token = forged['x-csrf-token']
    const answer = await create({
      ...FROM_PAGE,
      ...forged,
      ...(token !== undefined && { 'x-csrf-token': tokens[token] ?? token }),
    })
    expect([answer.status, answer.json.errors[0].code]).toEqual([403, 'invalid_auth_token_permissions'])
  })

  it('are refused when another site sends them', async () => {
    const answer = await create({ 'sec-fetch-site': 'cross-site', 'x-csrf-token': operator.csrf })
    expect(answer.status).toBe(401)
  })
})

describe('routes that pages of every origin may call', () => {
  it('take the cookie from pages of this server alone', async () => {
    const addresses = (headers: Record<string, string>) =>
      server.call('/api/fabric/addresses', {
        credentials: null,
        headers: { cookie: viewer.cookie, ...headers },
      })
    expect((await addresses(FROM_PAGE)).status).toBe(200)
    const elsewhere = await addresses({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })
    expect(elsewhere.status).toBe(401)
    expect(elsewhere.headers['access-control-allow-credentials']).toBeUndefined()
    const preflight = await server.call('/api/fabric/addresses', {
      method: 'OPTIONS',
      credentials: null,
      headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-csrf-token' },
    })
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()
    expect(preflight.headers['access-control-allow-headers']).not.toContain('x-csrf-token')
  })
})

describe('sessions that are over', () => {
  it('are not found when they were not used for half a day, or are a week old', async () => {
    const browser = await signIn(server, 'viewer@example.org')
    const [user] = await server.storage.users.findByName('viewer@example.org', 1)
    const [newest] = await server.storage.userSessions.listOfUser(server.projectId, user?.id ?? '')
    await server.storage.userSessions.touch(server.projectId, newest?.id ?? '', Date.now() - 12 * 3600_000)
    expect((await browser.call('/api/dashboard/me')).status).toBe(401)
  })
})

describe('a viewer', () => {
  interface Document {
    paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>
  }

  it('may change nothing that the API document has', async () => {
    const { paths } = (await server.call('/docs/openapi.json', { credentials: null })).json as Document
    const changes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method !== 'get')
        .map(([method, { security }]) => ({ path, method: method.toUpperCase() as 'POST', security })),
    )
    expect(changes.length).toBeGreaterThan(20)
    let refused = 0
    for (const { path, method, security } of changes) {
      if (security.length === 0 || security.some((way) => 'session' in way)) continue
      const filled = path.replaceAll(/\{project_id\}/g, server.projectId)
      const { status } = await viewer.call(
        filled.replaceAll(/\{\w+\}/g, '11111111-2222-4333-8444-000000000000'),
        { method, body: {} },
      )
      // Operations for end users alone know no project's credentials.
      const takesProject = security.some((way) => 'apiToken' in way)
      expect(status, `${method} ${path}`).toBe(takesProject ? 403 : 401)
      if (takesProject) refused++
    }
    expect(refused).toBeGreaterThan(18)
  })

  it('may see what is there', async () => {
    for (const path of [
      'rooms',
      'room_sessions',
      'conferences',
      'logs',
      '/api/messaging/messages',
      '/page/project',
    ]) {
      expect((await viewer.call(path)).status, path).toBe(200)
    }
  })

  it('does not see what would let it into a conference as moderator, nor keys of streams', async () => {
    const conference = await operator.call('conferences', {
      method: 'POST',
      body: { display_name: 'Town hall' },
    })
    const tokens = `conferences/${conference.json.id}/conference_tokens`
    expect((await operator.call(tokens)).status).toBe(200)
    expect((await viewer.call(tokens)).status).toBe(403)
    expect((await viewer.call(`conferences/${conference.json.id}/streams`)).status).toBe(403)
  })
})

it('a removed user, and one whose role changed, is signed out at once', async () => {
  const id = await addUser(server.storage, server.projectId, 'eve', 'viewer')
  const browser = await signIn(server, 'eve')
  await server.storage.users.delete(server.projectId, id)
  expect((await browser.call('/api/dashboard/me')).status).toBe(401)
  expect((await browserWith(server, browser.cookie)).csrf).toBeUndefined()
})
