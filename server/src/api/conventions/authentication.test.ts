import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import type { Scope } from '../../storage/records.ts'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function addToken(project_id: string, token: string, scopes: Scope[]) {
  const id = newId()
  const hash = hashApiToken(token)
  await server.storage.apiTokens.insert({
    id,
    project_id,
    name: 'test',
    hash,
    scopes,
    last_used_at: null,
    created_at: Date.now(),
  })
  return id
}

describe('Basic authentication', () => {
  it('lets the project with its token in, whatever the case of the scheme', async () => {
    expect((await server.call('rooms')).status).toBe(200)
    const header = basic(server.projectId, server.apiToken)
    for (const authorization of [header.replace('Basic', 'basic'), header.replace('Basic ', 'BASIC   ')]) {
      expect((await server.call('rooms', { credentials: null, headers: { authorization } })).status).toBe(200)
    }
  })

  it.each([
    ['nothing', ''],
    ['another scheme', 'Bearer abc'],
    ['the scheme alone', 'Basic'],
    ['no base64', 'Basic !!!'],
    ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
    ['empty parts', basic('', '')],
    ['the wrong token', basic('11111111-2222-4333-8444-555555555555', 'token-of-the-test')],
    ['the right token and more', basic('11111111-2222-4333-8444-555555555555', 'token-of-the-tests ')],
    ['an empty token', basic('11111111-2222-4333-8444-555555555555', '')],
    ['another project', basic('99999999-2222-4333-8444-555555555555', 'token-of-the-tests')],
    ['the parts the wrong way round', basic('token-of-the-tests', '11111111-2222-4333-8444-555555555555')],
    ['SQL', basic("' or '1'='1", "' or '1'='1")],
  ])('refuses %s', async (_, authorization) => {
    const answer = await server.call('rooms', { credentials: null, headers: { authorization } })
    expect(answer.status).toBe(401)
    expect(answer.json.errors[0]).toMatchObject({ type: 'authentication_error', code: 'token_invalid' })
    expect(answer.headers['www-authenticate']).toBeDefined()
  })

  it('is asked for before anything else is looked at', async () => {
    const options = { credentials: null, method: 'POST', rawBody: '{' } as const
    for (const path of ['rooms', 'room_tokens']) expect((await server.call(path, options)).status).toBe(401)
    expect((await server.call('room_sessions/not-an-id', { credentials: null })).status).toBe(401)
  })

  it('wants the scope of the family', async () => {
    await addToken(server.projectId, 'messages-only', ['messaging', 'chat'])
    const credentials = { user: server.projectId, password: 'messages-only' }
    const answer = await server.call('rooms', { credentials })
    expect(answer.status).toBe(403)
    expect(answer.json.errors[0]).toMatchObject({
      type: 'authorization_error',
      code: 'invalid_auth_token_permissions',
    })
  })

  it('takes several tokens of one project until each is revoked', async () => {
    const id = await addToken(server.projectId, 'second-token', ['video'])
    const credentials = { user: server.projectId, password: 'second-token' }
    expect((await server.call('rooms', { credentials })).status).toBe(200)
    await server.storage.apiTokens.delete(server.projectId, id)
    expect((await server.call('rooms', { credentials })).status).toBe(401)
    expect((await server.call('rooms')).status).toBe(200)
  })

  it('forgets what a token was the moment it is changed by another process, however often it was used', async () => {
    const id = await addToken(server.projectId, 'first-secret', ['video'])
    const statusWith = async (password: string) =>
      (await server.call('rooms', { credentials: { user: server.projectId, password } })).status
    const { apiTokens } = server.storage
    for (let time = 0; time < 3; time++) expect(await statusWith('first-secret')).toBe(200)
    await apiTokens.update(server.projectId, id, { scopes: ['chat'] })
    expect(await statusWith('first-secret')).toBe(403)
    await apiTokens.update(server.projectId, id, { scopes: ['video'], hash: hashApiToken('second-secret') })
    expect(await statusWith('first-secret')).toBe(401)
    for (let time = 0; time < 3; time++) expect(await statusWith('second-secret')).toBe(200)
    await apiTokens.delete(server.projectId, id)
    expect(await statusWith('second-secret')).toBe(401)
  })

  it('keeps projects apart', async () => {
    const project = newId()
    await server.storage.projects.insert({ id: project, name: 'other', created_at: Date.now() })
    await addToken(project, 'token-of-the-other', ['video'])
    const credentials = { user: project, password: 'token-of-the-other' }
    const { json: room } = await server.call('rooms', { method: 'POST', body: { name: 'mine' } })
    expect((await server.call(`rooms/${room.id}`)).status).toBe(200)
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? {} : undefined
      const answer = await server.call(`rooms/${room.id}`, { credentials, method, body })
      expect(answer.status).toBe(404)
      expect(answer.json.errors[0].code).toBe('provided_id_is_unrecognized')
    }
    expect((await server.call('rooms/mine', { credentials })).status).toBe(404)
    expect((await server.call('rooms', { credentials })).json.data).toEqual([])
    expect((await server.call('rooms', { credentials, method: 'POST', body: { name: 'mine' } })).status).toBe(
      200,
    )
  })
})
