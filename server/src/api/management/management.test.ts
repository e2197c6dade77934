import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import {
  addUser,
  browserWith,
  cookieIn,
  FROM_PAGE,
  type SignedInBrowser,
  signIn,
} from '../../testing/signed-in-user.ts'

let server: TestServer
let owner: SignedInBrowser
let operator: SignedInBrowser
beforeAll(async () => {
  server = await startTestServer({
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
  })
  await addUser(server.storage, server.projectId, 'owner', 'owner')
  await addUser(server.storage, server.projectId, 'operator', 'operator')
  owner = await signIn(server, 'owner')
  operator = await signIn(server, 'operator')
})
afterAll(() => server.stop())

const api = (path: string) => `/api/management/${path}`
const post = (browser: SignedInBrowser, path: string, body?: object) =>
  browser.call(api(path), { method: 'POST', ...(body && { body }) })

describe('users', () => {
  it('are added with a link, change their role, and go', async () => {
    const made = await post(owner, 'users', { name: 'ada@example.org', role: 'viewer' })
    expect(made.status).toBe(201)
    const { id, link } = made.json
    expect(made.json).toMatchObject({ name: 'ada@example.org', role: 'viewer', signs_in_with: 'invited' })
    expect(link).toMatch(new RegExp(`^${server.origin}/sign-in#invitation=[\\w-]{43}$`))

    const accepted = await server.call('/api/dashboard/sign_in_link', {
      method: 'PUT',
      credentials: null,
      headers: { ...FROM_PAGE, authorization: `Bearer ${link.split('=').at(-1)}` },
      body: { password: 'seven pianos under water' },
    })
    const ada = await browserWith(server, cookieIn(accepted))
    expect((await ada.call('rooms')).status).toBe(200)

    const changed = await owner.call(api(`users/${id}`), { method: 'PUT', body: { role: 'operator' } })
    expect(changed.json).toMatchObject({ role: 'operator', signs_in_with: 'password' })
    // A new role needs a new session.
    expect((await ada.call('rooms')).status).toBe(401)
    const reset = await post(owner, `users/${id}/reset`)
    expect(reset.json.link).not.toBe(link)
    expect((await owner.call(api(`users/${id}`), { method: 'DELETE' })).status).toBe(204)
    expect((await owner.call(api(`users/${id}`))).status).toBe(404)
  })

  it('keep an owner', async () => {
    const { data } = (await owner.call(api('users'))).json
    const { id } = data.find(({ role }: { role: string }) => role === 'owner')
    const removed = await owner.call(api(`users/${id}`), { method: 'DELETE' })
    expect([removed.status, removed.json.errors[0].code]).toEqual([422, 'invalid_state'])
    const demoted = await owner.call(api(`users/${id}`), { method: 'PUT', body: { role: 'viewer' } })
    expect(demoted.status).toBe(422)
  })

  it.each(['two words', 'ünïcode', '<b>', 'a'.repeat(101), ''])('have no name like "%s"', async (name) => {
    expect((await post(owner, 'users', { name, role: 'viewer' })).status).toBe(422)
  })
})

describe('API tokens', () => {
  it('work from when they are shown until they are revoked', async () => {
    const made = await post(owner, 'api_tokens', { name: 'Back end', scopes: ['video'] })
    expect(made.status).toBe(201)
    const { id, token } = made.json
    const use = () => server.call('rooms', { credentials: { user: server.projectId, password: token } })
    expect((await use()).status).toBe(200)
    const listed = (await owner.call(api('api_tokens'))).json.data
    expect(listed.find((one: { id: string }) => one.id === id)).toMatchObject({
      name: 'Back end',
      scopes: ['video'],
    })
    expect(JSON.stringify(listed)).not.toContain(token)
    expect((await owner.call(api(`api_tokens/${id}`), { method: 'DELETE' })).status).toBe(204)
    expect((await use()).status).toBe(401)
  })

  it('without the scope management decide about nothing', async () => {
    const { token } = (await post(owner, 'api_tokens', { name: 'Video', scopes: ['video'] })).json
    const credentials = { user: server.projectId, password: token }
    for (const path of ['users', 'api_tokens', 'audit_entries']) {
      expect((await server.call(api(path), { credentials })).status).toBe(403)
    }
    expect((await server.call('/api/dashboard/me', { credentials })).json.may).toEqual(['read', 'operate'])
  })
})

describe('an operator', () => {
  it('runs rooms, and neither sees nor changes users, API tokens and the audit log', async () => {
    const body = { name: 'by-operator' }
    expect((await operator.call('rooms', { method: 'POST', body })).status).toBe(200)
    for (const path of ['users', 'api_tokens', 'audit_entries']) {
      const { status, json } = await operator.call(api(path))
      expect([status, json.errors[0].code]).toEqual([403, 'invalid_auth_token_permissions'])
    }
    expect((await post(operator, 'api_tokens', { name: 'x', scopes: ['management'] })).status).toBe(403)
    expect((await post(operator, 'users', { name: 'x', role: 'owner' })).status).toBe(403)
  })
})

describe('the audit log', () => {
  it('says who did what, page by page', async () => {
    const first = (await owner.call(`${api('audit_entries')}?page_size=3`)).json
    expect(first.data).toHaveLength(3)
    expect(first.links.prev).toBeNull()
    const second = (await owner.call(first.links.next)).json
    expect(second.data[0].id).not.toBe(first.data[2].id)
    const all = (await owner.call(`${api('audit_entries')}?page_size=1000`)).json.data
    const act = all.find(({ action }: { action: string }) => action === 'api_token.revoke')
    expect(act).toMatchObject({ actor: { kind: 'user', name: 'owner' }, details: {} })
    expect(JSON.stringify(all)).not.toMatch(/PT[0-9a-f]{48}|#invitation/)
  })
})
