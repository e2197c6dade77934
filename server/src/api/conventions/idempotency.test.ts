import { once } from 'node:events'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const create = (key: string, body: unknown, path = 'rooms') =>
  server.call(path, { method: 'POST', headers: { 'idempotency-key': key }, body })

async function createAndHangUp(key: string, room: object): Promise<void> {
  const body = JSON.stringify(room)
  const head = [
    'POST /api/video/rooms HTTP/1.1',
    `Host: ${new URL(server.origin).host}`,
    `Authorization: ${basic(server.projectId, server.apiToken)}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Idempotency-Key: ${key}`,
  ]
  const socket = connect({ port: server.running.address.port, host: '127.0.0.1', ca: server.ca })
  await once(socket, 'secureConnect')
  await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, resolve))
  socket.destroy()
}

describe('an Idempotency-Key', () => {
  it('gives the first answer again, and makes nothing twice', async () => {
    const first = await create('a-1', { name: 'once' })
    const again = await create('a-1', { name: 'once' })
    expect(first.status).toBe(200)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(again.status).toBe(200)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect(again.text).toBe(first.text)
  })

  it('gives a refusal again too', async () => {
    const first = await create('b-1', { name: 'not a name' })
    expect(first.status).toBe(422)
    const again = await create('b-1', { name: 'not a name' })
    expect(again.status).toBe(422)
    expect(again.text).toBe(first.text)
  })

  it('is refused for a different body and for a different path', async () => {
    expect((await create('c-1', { name: 'first-body' })).status).toBe(200)
    for (const other of [
      create('c-1', { name: 'other-body' }),
      create('c-1', { room_name: 'x' }, 'room_tokens'),
    ]) {
      const answer = await other
      expect(answer.status).toBe(422)
      expect(answer.json.errors[0]).toMatchObject({
        code: 'incompatible_parameters',
        attribute: 'Idempotency-Key',
      })
    }
  })

  it('holds when the same request comes many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('d-1', { name: 'racing' })))
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200))
    expect(answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true')).toHaveLength(19)
  })

  it('gives the first answer to a client that hung up before it came', async () => {
    for (const name of ['gone-1', 'gone-2', 'gone-3', 'gone-4', 'gone-5']) {
      await createAndHangUp(name, { name })
      // The room exists, but its answer may not be stored yet. The next request waits for it.
      await vi.waitFor(async () => expect((await server.call(`rooms/${name}`)).status).toBe(200))
      const again = await create(name, { name })
      expect(again.status).toBe(200)
      expect(again.headers['idempotency-replayed']).toBe('true')
    }
  })

  it.each(['', ' ', 'ä', 'x'.repeat(256)])('must be a usable text, unlike %j', async (key) => {
    const answer = await server.call('rooms', {
      method: 'POST',
      headers: { 'idempotency-key': Buffer.from(key).toString('latin1') },
      body: { name: 'never' },
    })
    expect(answer.status).toBe(422)
    expect(answer.json.errors[0]).toMatchObject({ code: 'invalid_parameter', attribute: 'Idempotency-Key' })
  })

  it('does not show in the database what was answered', async () => {
    const answer = await create('e-1', { room_name: 'sealed' }, 'room_tokens')
    const kept = await server.storage.keptAnswers.find(server.projectId, 'e-1')
    expect(kept?.status).toBe(200)
    expect(kept?.body).not.toContain(answer.json.token)
    expect(Buffer.from(kept?.body ?? '', 'base64url').includes(answer.json.token)).toBe(false)
  })

  it('is another one for each end user', async () => {
    await create('f-0', { name: 'shared' })
    const address = (await server.call('rooms/shared')).json.id
    const guestToken = async (reference: string) => {
      const path = '/api/fabric/subscribers/tokens'
      const { token } = (await server.call(path, { method: 'POST', body: { reference } })).json
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': 'f-0' }
      const body = { allowed_addresses: [address] }
      const options = { method: 'POST', credentials: null, headers, body } as const
      return server.call('/api/fabric/guests/tokens', options)
    }
    const [ada, bob] = [await guestToken('ada'), await guestToken('bob')]
    expect([ada.status, bob.status]).toEqual([201, 201])
    expect(bob.json.token).not.toBe(ada.json.token)
    expect((await guestToken('ada')).json).toEqual(ada.json)
  })

  it('is another one for another project', async () => {
    expect(await server.storage.keptAnswers.find('another-project', 'a-1')).toBeUndefined()
  })
})
