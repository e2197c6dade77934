import { request } from 'node:https'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, signIn } from '../../testing/signed-in-user.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const logged = async (query = '') => (await server.call(`/api/dashboard/requests${query}`)).json.data

it('has requests with who sent them and what came of them, without secrets', async () => {
  await server.call('rooms', { method: 'POST', body: { name: 'logged' }, headers: { 'x-request-id': 'one' } })
  await server.call('rooms', { method: 'POST', body: { name: 'logged' }, headers: { 'x-request-id': 'two' } })
  await server.call('rooms?page_size=5&token=s3cret&page_token=PAs3cret')
  const all = await server.call('/api/dashboard/requests')
  expect(all.status).toBe(200)
  expect(all.json.data[0]).toMatchObject({
    status: 422,
    path: '/api/video/rooms?page_size=5&token=***&page_token=***',
  })
  expect(all.json.data[1]).toMatchObject({
    request_id: 'two',
    method: 'POST',
    status: 422,
    error_code: 'not_unique_within_project',
    credential_kind: 'api-token',
  })
  expect(all.json.data[1].duration_ms).toBeGreaterThan(0)
  expect(all.text).not.toContain('s3cret')
  expect(all.text).not.toContain(server.apiToken)
  expect(await logged('?method=POST&status=2xx&text=ONE')).toMatchObject([
    { request_id: 'one', error_code: null },
  ])
  const { json } = await server.call('/api/dashboard/requests?page_size=1')
  const next = await server.call(json.links.next)
  expect(next.json.data[0].id).not.toBe(json.data[0].id)
})

it('has a request of a token that lacks the scope, and is for those who administer', async () => {
  const [secret, far] = ['only-video', 'of-another-project']
  const project_id = newId()
  await server.storage.projects.insert({ id: project_id, name: 'Other', created_at: 1 })
  const narrow = { project_id: server.projectId, hash: hashApiToken(secret), name: 'narrow' }
  await server.storage.apiTokens.insert(sampleApiToken({ ...narrow, scopes: ['video'] }))
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id, hash: hashApiToken(far), scopes: ['management'] }),
  )
  const as = (id: string, token: string, path: string) =>
    server.call(path, { credentials: null, headers: { authorization: basic(id, token) } })
  expect((await as(server.projectId, secret, '/api/dashboard/requests')).status).toBe(403)
  expect((await as(server.projectId, secret, '/api/management/users')).status).toBe(403)
  expect((await as(project_id, far, '/api/dashboard/requests')).json.data).toEqual([])
  expect(await logged('?status=4xx&text=narrow')).toMatchObject([
    { path: '/api/management/users', error_code: 'invalid_auth_token_permissions' },
  ])
  await addUser(server.storage, server.projectId, 'vera', 'viewer')
  const vera = await signIn(server, 'vera')
  for (const path of ['requests', 'requests/live']) {
    expect((await vera.call(`/api/dashboard/${path}`)).status, path).toBe(403)
  }
})

it('is told live', async () => {
  const headers = { authorization: basic(server.projectId, server.apiToken) }
  const came = new Promise<string>((resolve, reject) => {
    const sent = request(`${server.origin}/api/dashboard/requests/live`, {
      ca: server.ca,
      headers,
      agent: false,
    })
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        text += chunk
        if (text === 'event: begin\ndata: null\n\n') void server.call('rooms/nobody')
        if (!text.includes('event: entries')) return
        sent.destroy()
        resolve(text)
      })
    })
    sent.end()
  })
  expect(await came).toContain('"path":"/api/video/rooms/nobody","status":404')
})
