import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { parleyInProcess } from '../../admin/parley-command.ts'
import { newId } from '../../ids.ts'
import type { EventName } from '../../resources/event-names.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { loadServerSecrets } from '../../secrets/server-secrets.ts'
import { webhookKey } from '../../secrets/webhook-secret.ts'
import { openStorage } from '../../storage/open-storage.ts'
import { sampleApiToken, sampleEvent } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import {
  type ReceivedMessage,
  startWebhookReceiver,
  verified,
  type WebhookReceiver,
} from '../../testing/webhook-receiver.ts'
import { SigningKeys } from '../../webhooks/signing-keys.ts'

const STRANGER = { user: newId(), password: 'token-of-a-stranger' }

let server: TestServer
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  server = await startTestServer({ PARLEY_ALLOW_PRIVATE_TARGETS: '1', PARLEY_MAX_WEBHOOKS_PER_PROJECT: '5' })
  await server.storage.projects.insert({ id: STRANGER.user, name: 'stranger', created_at: 1 })
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id: STRANGER.user, hash: hashApiToken(STRANGER.password) }),
  )
})
afterAll(async () => {
  await server.stop()
  await receiver.close()
})

const post = (path: string, body: unknown = {}) => server.call(path, { method: 'POST', body })
const put = (path: string, body: unknown) => server.call(path, { method: 'PUT', body })
const remove = (id: string) => server.call(`webhooks/${id}`, { method: 'DELETE' })

/** Makes something happen in a session. @returns id of the event */
async function happens(name: EventName, room_session_id: string, project_id = server.projectId) {
  const event = sampleEvent({ project_id, name, room_session_id, payload: { name: 'Ädä' } })
  await server.storage.events.append(event)
  return event.id
}

it('sends what it was made for, signed, in order and with a number', async () => {
  const { status, json: webhook } = await post('webhooks', {
    url: receiver.url,
    description: 'Billing',
    events: ['room.*', 'member.left'],
  })
  expect(status).toBe(201)
  expect(webhook).toEqual({
    id: webhook.id,
    url: receiver.url,
    description: 'Billing',
    events: ['room.*', 'member.left'],
    enabled: true,
    disabled_reason: null,
    failing_since: null,
    previous_secret_expires_at: null,
    created_at: webhook.created_at,
    updated_at: webhook.created_at,
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
  })
  const { secret, ...shown } = webhook
  expect((await server.call(`webhooks/${webhook.id}`)).json).toEqual(shown)
  expect((await server.call('webhooks')).json.data).toEqual([shown])

  const session = newId()
  const ids = [
    await happens('room.started', session),
    await happens('member.left', session),
    await happens('room.ended', session),
  ]
  await happens('member.joined', session)
  await happens('room.started', session, STRANGER.user)
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(3), 10_000)
  expect(receiver.messages.map(({ headers }) => headers['webhook-id'])).toEqual(ids)
  expect(receiver.messages.map(({ json }) => json.sequence)).toEqual([1, 2, 3])
  for (const message of receiver.messages) {
    expect(verified(secret, message)).toEqual(message.json)
    expect(message.path).toBe('/hook')
    expect(message.headers['content-type']).toBe('application/json')
    expect(message.headers['user-agent']).toMatch(/^Parley\/\d/)
  }
  const [first] = receiver.messages
  expect(first?.json).toEqual({
    type: 'room.started',
    timestamp: first?.json.data.created_at,
    sequence: 1,
    data: expect.objectContaining({ id: ids[0], room_session_id: session, payload: { name: 'Ädä' } }),
  })

  const { data } = (await server.call(`webhooks/${webhook.id}/deliveries?page_size=2`)).json
  expect(data.map((delivery: { id: string }) => delivery.id)).toEqual([ids[2], ids[1]])
  const delivery = (await server.call(`webhooks/${webhook.id}/deliveries/${data[0].id}`)).json
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, event_name: 'room.ended', sequence: 3 })
  expect(delivery.log).toEqual([
    {
      attempted_at: expect.any(String),
      duration_ms: expect.any(Number),
      response_status: 200,
      response_body: null,
      error: null,
      next_attempt_at: null,
    },
  ])
  expect((await remove(webhook.id)).status).toBe(204)
  expect((await server.call(`webhooks/${webhook.id}`)).status).toBe(404)
})

it('signs with the old secret too for a while after a rotation, and never tells a secret again', async () => {
  const { json: webhook } = await post('webhooks', { url: receiver.url })
  const rotated = (await post(`webhooks/${webhook.id}/rotate`)).json
  expect(Date.parse(rotated.previous_secret_expires_at) - Date.parse(rotated.updated_at)).toBe(86_400_000)
  receiver.messages.length = 0
  await happens('room.started', newId())
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), 10_000)
  const [both] = receiver.messages
  if (!both) throw new Error('there is no message')
  for (const secret of [webhook.secret, rotated.secret]) expect(verified(secret, both)).toEqual(both.json)

  const third = (await post(`webhooks/${webhook.id}/rotate`, { overlap_seconds: 0 })).json
  expect(third.previous_secret_expires_at).toBeNull()
  await happens('room.started', newId())
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(2), 10_000)
  const [, alone] = receiver.messages
  if (!alone) throw new Error('there is no message')
  expect(verified(third.secret, alone)).toEqual(alone.json)
  for (const secret of [webhook.secret, rotated.secret]) expect(() => verified(secret, alone)).toThrow()

  const shown = (await server.call(`webhooks/${webhook.id}`)).text + (await server.call('webhooks')).text
  expect(shown).not.toContain('whsec_')
  const stored = JSON.stringify(await server.storage.webhooks.find(server.projectId, webhook.id))
  const audit = JSON.stringify(await server.storage.audit.list({ projectId: server.projectId }, 100))
  for (const text of [stored, audit]) {
    expect(text).not.toContain('whsec_')
    expect(text).not.toContain(third.secret.slice('whsec_'.length))
  }
  expect(audit).toContain('webhook.rotate')
  await remove(webhook.id)
})

it('sends again what was asked for', async () => {
  const { json: webhook } = await post('webhooks', { url: receiver.url })
  receiver.messages.length = 0
  receiver.answer(410)
  const session = newId()
  await happens('room.started', session)
  const find = async () => (await server.call(`webhooks/${webhook.id}`)).json
  await vi.waitFor(async () => expect((await find()).disabled_reason).toBe('gone'), 10_000)
  await happens('room.ended', session)
  const failed = (await server.call(`webhooks/${webhook.id}/deliveries?status=failed`)).json.data
  expect(failed).toHaveLength(1)
  const entries = await server.storage.audit.list({ projectId: server.projectId }, 1)
  expect(entries[0]).toMatchObject({ actor_kind: 'server', action: 'webhook.disable', target: webhook.id })

  receiver.answer(200)
  expect((await put(`webhooks/${webhook.id}`, { enabled: true })).json).toMatchObject({
    enabled: true,
    disabled_reason: null,
    url: receiver.url,
  })
  receiver.messages.length = 0
  const again = await post(`webhooks/${webhook.id}/deliveries/${failed[0].id}/replay`)
  expect(again.json).toMatchObject({ id: failed[0].id, status: 'pending' })
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), 10_000)
  expect(receiver.messages[0]?.headers['webhook-id']).toBe(failed[0].id)
  expect(receiver.messages[0]?.json.sequence).toBe(1)

  const since = webhook.created_at
  expect((await post(`webhooks/${webhook.id}/replay`, { since })).json).toEqual({
    replayed: 0,
    continue_since: null,
  })
  const delivered = { since, status: 'delivered' }
  await vi.waitFor(async () => {
    const { json } = await post(`webhooks/${webhook.id}/replay`, delivered)
    expect(json).toEqual({ replayed: 1, continue_since: null })
  }, 10_000)
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(2), 10_000)
  await remove(webhook.id)
})

it('checks the certificate of the receiver', async () => {
  const { json: webhook } = await post('webhooks', { url: `${server.origin}/hook` })
  await happens('room.started', newId())
  await vi.waitFor(async () => {
    const { data } = (await server.call(`webhooks/${webhook.id}/deliveries`)).json
    const { log } = (await server.call(`webhooks/${webhook.id}/deliveries/${data[0].id}`)).json
    expect(log[0]).toMatchObject({ response_status: null, error: expect.stringMatching(/CERT|certificate/i) })
  }, 10_000)
  await remove(webhook.id)
})

it('is done at the command line too', async () => {
  const env = { PARLEY_DATA_DIR: server.dataDir, PARLEY_ALLOW_PRIVATE_TARGETS: '1' }
  const parley = async (...words: string[]) => {
    const run = await parleyInProcess(['webhooks', ...words, '--project', server.projectId], env)
    expect(run.err + run.out).not.toMatch(/at .*\.ts:/)
    return run
  }
  const made = await parley('create', '--url', receiver.url, '--events', 'room.*,member.left')
  expect(made.out).toMatch(/^whsec_[A-Za-z0-9+/]{32}\n$/)
  const [webhook] = JSON.parse((await parley('list', '--json')).out)
  expect(webhook).toMatchObject({ url: receiver.url, events: ['room.*', 'member.left'], enabled: true })
  receiver.messages.length = 0
  await happens('room.started', newId())
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), 10_000)
  expect(verified(made.out.trim(), receiver.messages[0] as ReceivedMessage)).toBeTruthy()
  await vi.waitFor(async () => {
    const listed = JSON.parse((await parley('deliveries', webhook.id, '--status', 'delivered', '--json')).out)
    expect(listed).toMatchObject([{ event_name: 'room.started', log: [{ response_status: 200 }] }])
  }, 10_000)
  expect((await parley('deliveries', webhook.id)).out).toMatch(/room\.started.* 1 +delivered +1 +200/)
  expect((await parley('replay', webhook.id, '--since', '1h', '--delivered')).err).toBe('1 are sent again.\n')
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(2), 10_000)
  expect((await parley('update', webhook.id, '--disable')).out).toBe(`${webhook.id} is disabled (asked).\n`)
  expect((await parley('update', webhook.id, '--enable', '--events', 'all')).out).toContain('is enabled')
  expect((await parley('rotate', webhook.id, '--overlap', '0')).out).toMatch(/^whsec_/)
  const wrong = await parley('update', webhook.id, '--events', 'room.exploded')
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('room.exploded')])
  expect((await parley('delete', webhook.id)).code).toBe(0)
  expect(JSON.parse((await parley('list', '--json')).out)).toEqual([])
})

it('is in a backup, with its secret', async () => {
  const { json: webhook } = await post('webhooks', { url: receiver.url })
  const folder = mkdtempSync(join(tmpdir(), 'parley-webhooks-'))
  const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')]
  const made = await parleyInProcess(['backup', backup], {
    PARLEY_DATA_DIR: server.dataDir,
  })
  expect(made.code, made.err).toBe(0)
  const back = await parleyInProcess(['restore', backup], { PARLEY_DATA_DIR: restored })
  expect(back.code, back.err).toBe(0)
  const storage = await openStorage(join(restored, 'parley.db'))
  const found = await storage.webhooks.find(server.projectId, webhook.id)
  await storage.close()
  if (!found) throw new Error('the webhook is not in the backup')
  const { sealingKey } = loadServerSecrets({ dataDir: restored })
  expect(new SigningKeys(sealingKey).of(found, 0)[0]?.equals(webhookKey(webhook.secret))).toBe(true)
  rmSync(folder, { recursive: true })
  await remove(webhook.id)
})

it.each([
  ['ftp://203.0.113.9/', /must begin with https:\/\//],
  ['https://ada:secret@203.0.113.9/', /may not hold a user name or password/],
  ['nonsense', /cannot be parsed/],
])('refuses %s', async (url, says) => {
  const answer = await post('webhooks', { url })
  expect(answer.status).toBe(422)
  expect(answer.json.errors).toMatchObject([
    { code: 'url_failed_to_parse', attribute: 'url', message: expect.stringMatching(says) },
  ])
})

it('refuses events that do not exist, and one webhook too many', async () => {
  const wrong = await post('webhooks', { url: receiver.url, events: ['room.started', 'room.exploded'] })
  expect(wrong.json.errors).toMatchObject([{ code: 'list_contains_invalid_entries' }])
  const made = []
  for (let count = 0; count < 5; count++) made.push((await post('webhooks', { url: receiver.url })).json.id)
  const sixth = await post('webhooks', { url: receiver.url })
  expect([sixth.status, sixth.json.errors[0].code]).toEqual([422, 'account_limit_exceeded'])
  for (const id of made) expect((await remove(id)).status).toBe(204)
})

it('another project meets none of it', async () => {
  const { json: webhook } = await post('webhooks', { url: receiver.url })
  await happens('room.started', newId())
  const list = `webhooks/${webhook.id}/deliveries`
  await vi.waitFor(async () => expect((await server.call(list)).json.data).toHaveLength(1), 10_000)
  const { id } = (await server.call(list)).json.data[0]
  const as = (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    server.call(path, { method, credentials: STRANGER, ...(body !== undefined && { body }) })
  const answers = [
    await as('GET', `webhooks/${webhook.id}`),
    await as('PUT', `webhooks/${webhook.id}`, { url: 'https://evil.example.com/' }),
    await as('POST', `webhooks/${webhook.id}/rotate`, {}),
    await as('POST', `webhooks/${webhook.id}/replay`, { since: '2020-01-01' }),
    await as('GET', list),
    await as('GET', `${list}/${id}`),
    await as('POST', `${list}/${id}/replay`),
    await as('DELETE', `webhooks/${webhook.id}`),
  ]
  for (const answer of answers) expect(answer.status).toBe(404)
  expect((await as('GET', 'webhooks')).json.data).toEqual([])
  expect((await server.call(`webhooks/${webhook.id}`)).json.url).toBe(receiver.url)
  await remove(webhook.id)
})
