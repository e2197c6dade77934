import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUsers } from '../../accounts/users.ts'
import { SERVER } from '../../audit/audit.ts'
import { hashSessionSecret } from '../../secrets/session-secret.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import {
  addUser,
  browserWith,
  cookieIn,
  enter,
  FROM_PAGE,
  PASSWORD,
  signIn,
} from '../../testing/signed-in-user.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
  })
  await addUser(server.storage, server.projectId, 'ada', 'viewer')
})
afterAll(() => server.stop())

const NEW = 'seven pianos under water'
const users = () => createUsers({ storage: server.storage, clock: { now: () => Date.now() } })

describe('the own sessions', () => {
  it('are listed with the present one, and end one by one', async () => {
    const [one, two] = [await signIn(server, 'ada'), await signIn(server, 'ada')]
    const { json } = await one.call('/api/dashboard/sessions')
    expect(json.data.filter(({ is_current }: { is_current: boolean }) => is_current)).toHaveLength(1)
    const other = (await two.call('/api/dashboard/sessions')).json.data.find(
      ({ is_current }: { is_current: boolean }) => is_current,
    )
    const path = `/api/dashboard/sessions/${other.id}`
    expect((await one.call(path, { method: 'DELETE' })).status).toBe(204)
    expect((await two.call('/api/dashboard/me')).status).toBe(401)
    expect((await one.call(path, { method: 'DELETE' })).status).toBe(404)
  })

  it('of others are not there', async () => {
    await addUser(server.storage, server.projectId, 'grace', 'owner')
    const [ada, grace] = [await signIn(server, 'ada'), await signIn(server, 'grace')]
    const { id } = (await ada.call('/api/dashboard/sessions')).json.data[0]
    expect((await grace.call(`/api/dashboard/sessions/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await ada.call('/api/dashboard/me')).status).toBe(200)
  })

  it('are nothing that an API token has', async () => {
    for (const path of ['/api/dashboard/sessions', '/api/dashboard/password']) {
      expect((await server.call(path, path.endsWith('s') ? {} : { method: 'PUT', body: {} })).status).toBe(
        401,
      )
    }
  })
})

describe('a new password', () => {
  it('needs the present one, and ends the other sessions', async () => {
    await addUser(server.storage, server.projectId, 'mary', 'viewer')
    const [here, there] = [await signIn(server, 'mary'), await signIn(server, 'mary')]
    const change = (body: object) => here.call('/api/dashboard/password', { method: 'PUT', body })
    const wrong = await change({ current_password: 'not the password', password: NEW })
    expect([wrong.status, wrong.json.errors[0].attribute]).toEqual([422, 'current_password'])
    const weak = await change({ current_password: PASSWORD, password: 'password1234' })
    expect([weak.status, weak.json.errors[0].attribute]).toEqual([422, 'password'])
    expect((await there.call('/api/dashboard/me')).status).toBe(200)

    expect((await change({ current_password: PASSWORD, password: NEW })).status).toBe(204)
    expect((await here.call('/api/dashboard/me')).status).toBe(200)
    expect((await there.call('/api/dashboard/me')).status).toBe(401)
    expect((await enter(server, 'mary')).status).toBe(401)
    expect((await enter(server, 'mary', NEW)).status).toBe(204)
  })
})

describe('a one-time link', () => {
  const open = (secret: string, body?: object, headers: Record<string, string> = FROM_PAGE) =>
    server.call('/api/dashboard/sign_in_link', {
      credentials: null,
      headers: { ...headers, authorization: `Bearer ${secret}` },
      ...(body && { method: 'PUT', body }),
    })

  it('says whom it invites, signs in once, and then is nothing', async () => {
    const { secret } = await users().add(server.projectId, 'hedy', 'operator', SERVER)
    const { json } = await open(secret)
    expect(json).toEqual({
      project: { id: server.projectId, name: 'First project' },
      name: 'hedy',
      role: 'operator',
    })
    const weak = await open(secret, { password: 'hedyhedyhedy1' })
    expect([weak.status, weak.json.errors[0].attribute]).toEqual([422, 'password'])
    const answers = await Promise.all([1, 2, 3].map(() => open(secret, { password: NEW })))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401])
    const used = answers.find(({ status }) => status === 204)
    const browser = await browserWith(server, cookieIn(used ?? answers[0]!))
    expect((await browser.call('/api/dashboard/me')).json.person.name).toBe('hedy')
    expect((await open(secret)).status).toBe(401)
  })

  it('for an owner asks for a name, and stays good while the name is refused', async () => {
    const { secret } = await users().inviteOwner(server.projectId, SERVER)
    expect((await open(secret)).json).toMatchObject({ name: null, role: 'owner' })
    const statusOf = async (body: object) => {
      const { status, json } = await open(secret, body)
      return [status, json?.errors[0].attribute]
    }
    expect(await statusOf({ password: NEW })).toEqual([400, 'name'])
    expect(await statusOf({ password: NEW, name: 'two words' })).toEqual([422, 'name'])
    expect(await statusOf({ password: NEW, name: 'ADA' })).toEqual([422, 'name'])
    expect((await open(secret, { password: NEW, name: 'root@example.org' })).status).toBe(204)
    const [made] = await server.storage.users.findByName('root@example.org', 1)
    expect(made).toMatchObject({ role: 'owner', name: 'root@example.org' })
  })

  it('is not good when an owner made a new one, after a day, or for pages of others', async () => {
    const first = await users().inviteOwner(server.projectId, SERVER)
    const second = await users().inviteOwner(server.projectId, SERVER)
    expect((await open(first.secret)).status).toBe(401)
    const elsewhere = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await open(second.secret, { password: NEW, name: 'x' }, elsewhere)).status).toBe(403)
    const old = await server.storage.userInvitations.findByHash(hashSessionSecret(second.secret))
    await server.storage.userInvitations.delete(server.projectId, old?.id ?? '')
    await server.storage.userInvitations.insert({ ...old!, expires_at: Date.now() })
    expect((await open(second.secret)).status).toBe(401)
  })

  it('for a new password makes the old one void and signs out', async () => {
    const id = await addUser(server.storage, server.projectId, 'joan', 'viewer')
    const browser = await signIn(server, 'joan')
    const { secret } = await users().reset(server.projectId, id, SERVER)
    expect((await browser.call('/api/dashboard/me')).status).toBe(401)
    expect((await enter(server, 'joan')).status).toBe(401)
    expect((await open(secret, { password: NEW, name: 'other' })).status).toBe(204)
    expect((await enter(server, 'joan', NEW)).status).toBe(204)
  })
})

it('everything is in the audit log, and no secret', async () => {
  const entries = await server.storage.audit.list({ projectId: server.projectId }, 1000)
  const actions = new Set(entries.map(({ action }) => action))
  for (const action of ['add', 'accept', 'sign_in', 'sign_out', 'password', 'reset', 'invite_owner']) {
    expect(actions).toContain(`user.${action}`)
  }
  expect(JSON.stringify(entries)).not.toMatch(/argon2|pianos|otters/)
  expect(entries.find(({ action }) => action === 'user.password')).toMatchObject({
    actor_kind: 'user',
    actor: 'mary',
  })
})
