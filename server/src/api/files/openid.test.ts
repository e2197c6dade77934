import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT, startOpenIdProvider, type TestOpenIdProvider } from '../../testing/openid-provider.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, browserWith } from '../../testing/signed-in-user.ts'
import { safeReturn } from './openid-routes.ts'

const people = {
  ada: { email: 'ada@example.org', email_verified: true },
  eve: { email: 'ada@example.org', email_verified: false },
  olga: { email: 'olga@elsewhere.example', email_verified: true, groups: ['staff', 'operators'] },
  mallory: { email: 'taken@example.org', email_verified: true },
  nobody: { email: 'nobody@elsewhere.example', email_verified: true },
}

let provider: TestOpenIdProvider
let server: TestServer
beforeAll(async () => {
  provider = await startOpenIdProvider(people, () => [`${server.origin}/page/openid/callback`])
  server = await startTestServer({
    PARLEY_OIDC_ISSUER: provider.issuer,
    PARLEY_OIDC_CLIENT_ID: CLIENT.id,
    PARLEY_OIDC_CLIENT_SECRET: CLIENT.secret,
    PARLEY_OIDC_NAME: 'Example login',
    PARLEY_OIDC_ROLES: 'ada@example.org=owner, *@example.org=viewer, groups:operators=operator',
  })
  await addUser(server.storage, server.projectId, 'taken@example.org', 'viewer')
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})

/** A browser with its cookies, which follows redirects by itself. */
function browser() {
  const dispatcher = new Agent({ connect: { ca: server.ca } })
  const jar = new Map<string, string>()
  const visited: string[] = []
  /** Goes on until an answer is no redirect, or leads to `until`. */
  async function visit(start: string, until = 'nowhere'): Promise<string> {
    let address = start
    for (let hops = 0; hops < 12; hops++) {
      visited.push(address)
      if (address.includes(until)) return address
      const { origin } = new URL(address)
      const cookie = [...jar]
        .filter(([key]) => key.startsWith(origin))
        .map(([key, value]) => `${key.split(' ')[1]}=${value}`)
      const answer = await fetch(address, {
        dispatcher,
        redirect: 'manual',
        headers: { cookie: cookie.join('; '), 'user-agent': 'A browser' },
      })
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
        if (value === '') jar.delete(`${origin} ${name}`)
        else jar.set(`${origin} ${name}`, value)
      }
      await answer.text()
      const next = answer.headers.get('location')
      if (next === null) return address
      address = new URL(next, address).href
    }
    throw new Error(`too many redirects: ${visited.join(' ')}`)
  }
  const cookieOf = (name: string) => jar.get(`${server.origin} ${name}`)
  return { visit, visited, jar, cookieOf }
}

async function signInAs(person: string | null, to = '/dashboard/rooms?x=1') {
  provider.present = person
  const one = browser()
  const end = await one.visit(`${server.origin}/page/openid/start?to=${encodeURIComponent(to)}`)
  const session = one.cookieOf('__Host-parley')
  const me =
    session === undefined
      ? null
      : (await (await browserWith(server, `__Host-parley=${session}`)).call('/api/dashboard/me')).json
  return { end: end.replace(server.origin, ''), me, one }
}

describe('signing in by the OpenID provider', () => {
  it('is offered to the page by its name', async () => {
    expect((await server.call('/page/server', { credentials: null })).json.openid).toBe('Example login')
  })

  it('makes an owner of a verified address that the rules name, who comes back where the way began', async () => {
    const { end, me } = await signInAs('ada')
    expect(end).toBe('/dashboard/rooms?x=1')
    expect(me.person).toMatchObject({ name: 'ada@example.org', role: 'owner', has_password: false })
    const again = await signInAs('ada')
    expect(again.me.person.id).toBe(me.person.id)
  })

  it('takes groups from the user info', async () => {
    expect((await signInAs('olga')).me.person.role).toBe('operator')
  })

  it('asks with PKCE, state and nonce, and keeps the attempt sealed in a cookie', async () => {
    const one = browser()
    const asked = new URL(await one.visit(`${server.origin}/page/openid/start`, '/auth?'))
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      client_id: CLIENT.id,
    })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(asked.searchParams.get(name)?.length).toBeGreaterThan(40)
      expect(one.cookieOf('__Host-parley-openid')).not.toContain(asked.searchParams.get(name))
    }
  })

  it.each([
    ['an address that the provider has not verified', 'eve', 'openid-no-role'],
    ['somebody whom no rule names', 'nobody', 'openid-no-role'],
    ['somebody who declines', null, 'openid-refused'],
    ['a name that somebody with a password has', 'mallory', 'openid-name-taken'],
  ])('refuses %s, and says why', async (_, person, problem) => {
    const { end, me } = await signInAs(person)
    expect([end, me]).toEqual([`/sign-in?problem=${problem}`, null])
  })

  it('follows the rules when the role has changed, and ends the sessions with the old one', async () => {
    const { me, one } = await signInAs('olga')
    await server.storage.users.update(server.projectId, me.person.id, { role: 'owner' })
    const again = await signInAs('olga')
    expect(again.me.person).toMatchObject({ id: me.person.id, role: 'operator' })
    const old = await browserWith(server, `__Host-parley=${one.cookieOf('__Host-parley')}`)
    expect((await old.call('/api/dashboard/me')).status).toBe(401)
  })

  it('gives no reset of a password to somebody who has none', async () => {
    const { me } = await signInAs('ada')
    const reset = await server.call(`/api/management/users/${me.person.id}/reset`, { method: 'POST' })
    expect([reset.status, reset.json.errors[0].code]).toEqual([422, 'invalid_state'])
  })
})

describe('the answer of the provider', () => {
  const stolen = async () => {
    provider.present = 'ada'
    const one = browser()
    return { one, callback: await one.visit(`${server.origin}/page/openid/start`, '/callback?') }
  }

  it('is nothing in another browser (login CSRF)', async () => {
    const { callback } = await stolen()
    const victim = browser()
    expect(await victim.visit(callback)).toMatch(/problem=openid-expired$/)
    await victim.visit(`${server.origin}/page/openid/start`, '/auth?')
    expect(await victim.visit(callback)).toMatch(/problem=openid-refused$/)
    expect(victim.cookieOf('__Host-parley')).toBeUndefined()
  })

  it('works once', async () => {
    const { one, callback } = await stolen()
    const attempt = one.cookieOf('__Host-parley-openid') ?? ''
    expect(await one.visit(callback)).toMatch(/\/dashboard$/)
    one.jar.set(`${server.origin} __Host-parley-openid`, attempt)
    expect(await one.visit(callback)).toMatch(/problem=openid-refused$/)
  })

  it('is refused with another state or code', async () => {
    for (const [name, value] of [
      ['state', 'x'],
      ['code', 'x'],
    ] as const) {
      const { one, callback } = await stolen()
      const changed = new URL(callback)
      changed.searchParams.set(name, value)
      expect(await one.visit(changed.href)).toMatch(/problem=openid-refused$/)
      expect(one.cookieOf('__Host-parley')).toBeUndefined()
    }
  })
})

it.each([
  ['https://evil.example/', '/dashboard'],
  ['//evil.example', '/dashboard'],
  ['/\\evil.example', '/dashboard'],
  ['/%5cevil.example', '/%5cevil.example'],
  ['/\t/evil.example', '/dashboard'],
  ['/.//evil.example', '/dashboard'],
  ['javascript:alert(1)', '/dashboard'],
  ['dashboard', '/dashboard'],
  ['', '/dashboard'],
  [`/${'x'.repeat(3000)}`, '/dashboard'],
  [['/a', '/b'], '/dashboard'],
  ['/dashboard/rooms?q=a%20b#x', '/dashboard/rooms?q=a%20b'],
])('after signing in, %s leads to %s', (wanted, path) => {
  expect(safeReturn(wanted)).toBe(path)
  expect(new URL(safeReturn(wanted), server.origin).origin).toBe(server.origin)
})
