import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken, sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  for (const name of ['red', 'green', 'blue']) await server.call('rooms', { method: 'POST', body: { name } })
})
afterAll(() => server.stop())

const bearer = (token: string) => ({ credentials: null, headers: { authorization: `Bearer ${token}` } })

async function subscriber(reference = 'ada', body: object = {}) {
  const answer = await server.call('/api/fabric/subscribers/tokens', {
    method: 'POST',
    body: { reference, ...body },
  })
  expect(answer.status).toBe(200)
  return answer.json as { subscriber_id: string; token: string; refresh_token: string }
}

async function roomId(name: string): Promise<string> {
  return (await server.call(`rooms/${name}`)).json.id
}

const decode = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('POST /api/fabric/subscribers/tokens', () => {
  it('makes the subscriber once, and tokens each time', async () => {
    const first = await subscriber('grace')
    const second = await subscriber('grace')
    expect(second.subscriber_id).toBe(first.subscriber_id)
    expect(second.token).not.toBe(first.token)
    expect(Object.keys(first).sort()).toEqual(['refresh_token', 'subscriber_id', 'token'])
  })

  it('makes one subscriber of many requests at once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => subscriber('racer')))
    expect(new Set(all.map((one) => one.subscriber_id)).size).toBe(1)
  })

  it('lives two hours, or until expire_at; the refresh token five minutes more', async () => {
    const now = Date.now() / 1000
    const usual = await subscriber()
    expect(decode(usual.token).exp).toBeCloseTo(now + 7200, -1)
    expect(decode(usual.refresh_token).exp - decode(usual.token).exp).toBe(300)
    const expire_at = Math.floor(now) + 600
    expect(decode((await subscriber('ada', { expire_at })).token).exp).toBe(expire_at)
  })

  it.each([
    [{}, 400, 'missing_required_parameter', 'reference'],
    [{ reference: 7 }, 422, 'not_a_string', 'reference'],
    [{ reference: '' }, 422, 'invalid_parameter', 'reference'],
    [{ reference: 'x'.repeat(301) }, 422, 'invalid_parameter', 'reference'],
    [{ reference: 'x', expire_at: 'soon' }, 422, 'invalid_parameter', 'expire_at'],
    [{ reference: 'x', expire_at: 1 }, 422, 'invalid_parameter', 'expire_at'],
  ])('refuses %j', async (body, status, code, attribute) => {
    const answer = await server.call('/api/fabric/subscribers/tokens', { method: 'POST', body })
    expect(answer.status).toBe(status)
    expect(answer.json.errors).toMatchObject([{ code, attribute }])
  })

  it('wants the credentials of the project', async () => {
    const { token } = await subscriber()
    const options = { method: 'POST', body: { reference: 'x' } } as const
    for (const credentials of [{ credentials: null }, bearer(token)]) {
      const answer = await server.call('/api/fabric/subscribers/tokens', { ...options, ...credentials })
      expect(answer.status).toBe(401)
    }
  })
})

describe('POST /api/fabric/subscribers/tokens/refresh', () => {
  const refresh = (refresh_token: unknown, options: object = {}) =>
    server.call('/api/fabric/subscribers/tokens/refresh', {
      method: 'POST',
      body: { refresh_token },
      ...options,
    })

  it('renews for the subscriber and for the back end', async () => {
    const [first, second] = [await subscriber(), await subscriber()]
    for (const answer of [
      await refresh(first.refresh_token),
      await refresh(second.refresh_token, bearer(second.token)),
    ]) {
      expect(answer.status).toBe(201)
      expect(Object.keys(answer.json).sort()).toEqual(['refresh_token', 'token'])
      expect(decode(answer.json.token).sub).toBe(first.subscriber_id)
      expect((await server.call('/api/fabric/addresses', bearer(answer.json.token))).status).toBe(200)
    }
  })

  const isGood = async (token: string) =>
    (await server.call('/api/fabric/addresses', bearer(token))).status === 200

  it('takes each token once; used again, it voids all of its sign-in and nothing else', async () => {
    const [tokens, other] = [await subscriber(), await subscriber()]
    const red = { allowed_addresses: [await roomId('red')] }
    const asked = { method: 'POST', body: red, ...bearer(tokens.token) } as const
    const guest = (await server.call('/api/fabric/guests/tokens', asked)).json.token
    const { json: second } = await refresh(tokens.refresh_token)
    const { json: third } = await refresh(second.refresh_token)
    for (const token of [tokens.token, second.token, third.token, guest])
      expect(await isGood(token)).toBe(true)

    const again = await refresh(tokens.refresh_token)
    expect(again.status).toBe(422)
    expect(again.json.errors).toMatchObject([{ code: 'not_a_refresh_token', attribute: 'refresh_token' }])
    expect(again.json.errors[0].message).toContain('used before')
    for (const token of [tokens.token, second.token, third.token, guest])
      expect(await isGood(token)).toBe(false)
    expect((await refresh(third.refresh_token)).status).toBe(422)
    expect(await isGood(other.token)).toBe(true)
    expect((await refresh(other.refresh_token)).status).toBe(201)
  })

  it('lets one of many win who use a token at the same moment', async () => {
    const tokens = await subscriber()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refresh(tokens.refresh_token, bearer(tokens.token))),
    )
    const won = answers.filter(({ status }) => status === 201)
    expect(won).toHaveLength(1)
    for (const { status } of answers.filter((answer) => !won.includes(answer))) {
      // A request that came after the winner's answer has voided the sign-in, so even the access token is invalid.
      expect([401, 422]).toContain(status)
    }
  })

  it('gives the answer that was lost again to the same Idempotency-Key', async () => {
    const tokens = await subscriber()
    const headers = { ...bearer(tokens.token).headers, 'idempotency-key': 'refresh-1' }
    const first = await refresh(tokens.refresh_token, { credentials: null, headers })
    const again = await refresh(tokens.refresh_token, { credentials: null, headers })
    expect(again.status).toBe(201)
    expect(again.json).toEqual(first.json)
    expect(await isGood(first.json.token)).toBe(true)
    expect((await refresh(first.json.refresh_token)).status).toBe(201)
  })

  it('does not take the refresh token of another subscriber, which stays good', async () => {
    const [ada, bob] = [await subscriber('ada'), await subscriber('bob')]
    expect((await refresh(ada.refresh_token, bearer(bob.token))).status).toBe(422)
    expect((await refresh(ada.refresh_token, bearer(ada.token))).status).toBe(201)
  })

  it('refuses every other kind of token', async () => {
    const { token } = await subscriber()
    for (const other of [token, 'nonsense', `${token}x`]) {
      const answer = await refresh(other)
      expect(answer.status).toBe(422)
      expect(answer.json.errors).toMatchObject([{ code: 'not_a_refresh_token', attribute: 'refresh_token' }])
    }
  })

  it('does not let a refresh token in anywhere else', async () => {
    const { refresh_token } = await subscriber()
    expect((await server.call('/api/fabric/addresses', bearer(refresh_token))).status).toBe(401)
  })
})

describe('GET /api/fabric/addresses', () => {
  it('shows rooms and subscribers, newest first', async () => {
    const { subscriber_id } = await subscriber('newest')
    const { status, json } = await server.call('/api/fabric/addresses')
    expect(status).toBe(200)
    expect(json.data[0]).toMatchObject({ id: subscriber_id, type: 'subscriber', name: 'newest' })
    expect(json.data.find((address: { name: string }) => address.name === 'red')).toEqual({
      id: await roomId('red'),
      name: 'red',
      display_name: 'red',
      type: 'room',
      cover_url: null,
      preview_url: null,
      locked: false,
      channels: { audio: '/public/red?channel=audio', video: '/public/red?channel=video' },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('shows the preview of a session that has one', async () => {
    const room = sampleRoom({ project_id: server.projectId, name: 'previewed', enable_room_previews: true })
    await server.storage.rooms.insert(room)
    const session = sampleSession({
      project_id: server.projectId,
      room_id: room.id,
      name: room.name,
      status: 'in-progress',
      enable_room_previews: true,
    })
    await server.storage.sessions.insert(session)
    const { preview_url } = (await server.call(`/api/fabric/addresses/${room.id}`)).json
    expect(preview_url).toBe((await server.call(`room_sessions/${session.id}`)).json.preview_url)
    expect(preview_url).toContain(`/previews/${session.id}.mp4?signature=`)
    expect((await server.call(`rooms/${room.id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it.each([
    '',
    'sort_order=asc',
    'sort_by=created_at&sort_order=desc',
    'sort_by=name',
    'sort_by=name&sort_order=desc',
    'sort_by=name&type=subscriber',
  ])('walks all pages forth and back, whatever kind is on them: %s', async (sorting) => {
    const whole = (await server.call(`/api/fabric/addresses?${sorting}&page_size=1000`)).json.data
    const seen: unknown[] = []
    let path = `/api/fabric/addresses?${sorting}&page_size=2`
    let last = path
    while (path) {
      const { json } = await server.call(path)
      seen.push(...json.data)
      last = path
      path = json.links.next
    }
    expect(seen).toEqual(whole)
    const back: unknown[][] = []
    for (let at: string | null = last; at; ) {
      const { json } = await server.call(at)
      back.unshift(json.data)
      at = json.links.prev
    }
    expect(back.flat()).toEqual(whole)
  })

  it('can be sorted by name and by time, in both directions', async () => {
    const { token } = await subscriber('\u{1F600}')
    await subscriber('\uFB01ve')
    const names = async (query: string, as = {}): Promise<string[]> => {
      const { json } = await server.call(`/api/fabric/addresses?page_size=1000&${query}`, as)
      return json.data.map(({ name }: { name: string }) => name)
    }
    const newestFirst = await names('')
    const byName = newestFirst.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    expect(byName.slice(-2)).toEqual(['\uFB01ve', '\u{1F600}'])
    expect(await names('sort_by=name')).toEqual(byName)
    expect(await names('sort_by=name&sort_order=desc')).toEqual(byName.toReversed())
    expect(await names('sort_by=created_at')).toEqual(newestFirst)
    expect(await names('sort_order=asc')).toEqual(newestFirst.toReversed())
    expect(await names('sort_by=name&type=room')).toEqual(['blue', 'green', 'red'])
    expect(await names('sort_by=name', bearer(token))).toEqual(['blue', 'green', 'red', '\u{1F600}'])
    const guest = await server.call('/api/fabric/guests/tokens', {
      method: 'POST',
      body: { allowed_addresses: [await roomId('red'), await roomId('blue')] },
      ...bearer(token),
    })
    expect(await names('sort_by=name&sort_order=desc', bearer(guest.json.token))).toEqual(['red', 'blue'])
    expect((await server.call('/api/fabric/addresses?sort_by=size')).status).toBe(422)
  })

  it('can be narrowed to a type', async () => {
    const { json } = await server.call('/api/fabric/addresses?type=room')
    expect(json.data.map((address: { name: string }) => address.name)).toEqual(['blue', 'green', 'red'])
    expect((await server.call('/api/fabric/addresses?type=cat')).status).toBe(422)
  })

  it('can be narrowed to a name and a display name', async () => {
    await subscriber('the board')
    const body = { name: 'meeting-of-the-board', display_name: 'the board' }
    expect((await server.call('conferences', { method: 'POST', body })).status).toBe(200)
    const { token } = await subscriber('somebody')
    const found = async (query: object, as = {}): Promise<string[]> => {
      const parameters = new URLSearchParams({ ...query })
      const { status, json } = await server.call(`/api/fabric/addresses?${parameters}`, as)
      expect(status).toBe(200)
      return json.data.map(({ name }: { name: string }) => name)
    }
    expect(await found({ name: 'red' })).toEqual(['red'])
    expect(await found({ name: 'red', type: 'subscriber' })).toEqual([])
    expect(await found({ name: 're*' })).toEqual([])
    expect(await found({ name: 'the board' })).toEqual(['the board'])
    expect(await found({ name: 'the board' }, bearer(token))).toEqual([])
    expect(await found({ name: 'somebody' }, bearer(token))).toEqual(['somebody'])
    expect(await found({ display_name: 'the board' })).toEqual(['meeting-of-the-board', 'the board'])
    expect(await found({ display_name: 'the board' }, bearer(token))).toEqual(['meeting-of-the-board'])
    // A room without a display name shows its name.
    expect(await found({ display_name: 'red', name: 'red' })).toEqual(['red'])
    expect(await found({ display_name: 'red', name: 'blue' })).toEqual([])
    expect(await found({ display_name: 'red' })).toEqual(['red'])
    const guest = await server.call('/api/fabric/guests/tokens', {
      method: 'POST',
      body: { allowed_addresses: [await roomId('red'), await roomId('blue')] },
      ...bearer(token),
    })
    expect(await found({ name: 'red' }, bearer(guest.json.token))).toEqual(['red'])
    expect(await found({ name: 'green' }, bearer(guest.json.token))).toEqual([])
    const conference = (await found({ display_name: 'the board', page_size: '1' }))[0]
    expect(conference).toBe('meeting-of-the-board')
  })

  it('refuses who has no token, and who has a wrong one', async () => {
    for (const options of [{ credentials: null }, bearer('x'), bearer('a.b.c')]) {
      const answer = await server.call('/api/fabric/addresses', options)
      expect(answer.status).toBe(401)
      expect(answer.json.errors[0].code).toBe('token_invalid')
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    }
  })

  it('may be called by pages of every origin', async () => {
    const { token } = await subscriber()
    const preflight = await server.call('/api/fabric/addresses', { method: 'OPTIONS', credentials: null })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization')
    const answer = await server.call('/api/fabric/addresses', bearer(token))
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-expose-headers']).toMatch(
      /retry-after.*ratelimit-remaining.*x-request-id/,
    )
    const secret = await server.call('/api/fabric/subscribers/tokens', {
      method: 'OPTIONS',
      credentials: null,
    })
    expect(secret.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('POST /api/fabric/guests/tokens', () => {
  async function guest(allowed_addresses: unknown, options: object | null = null) {
    const by = options ?? bearer((await subscriber()).token)
    return server.call('/api/fabric/guests/tokens', { method: 'POST', body: { allowed_addresses }, ...by })
  }

  it('gives a token that sees those addresses and no others', async () => {
    const [red, green, blue] = [await roomId('red'), await roomId('green'), await roomId('blue')]
    const answer = await guest([red, blue.toUpperCase(), red])
    expect(answer.status).toBe(201)
    const as = bearer(answer.json.token)
    const list = await server.call('/api/fabric/addresses', as)
    expect(list.json.data.map((address: { id: string }) => address.id)).toEqual([blue, red])
    const paged = await server.call('/api/fabric/addresses?page_size=1', as)
    expect(paged.json.data).toHaveLength(1)
    const second = await server.call(paged.json.links.next, as)
    expect(second.json.data.map((address: { id: string }) => address.id)).toEqual([red])
    expect(second.json.links.next).toBeNull()
    expect((await server.call(second.json.links.prev, as)).json.data).toEqual(paged.json.data)
    expect((await server.call(`/api/fabric/addresses/${red}`, as)).status).toBe(200)
    expect((await server.call(`/api/fabric/addresses/${green}`, as)).status).toBe(404)
  })

  it('ends with the token of its subscriber at the latest', async () => {
    const allowed_addresses = [await roomId('red')]
    const { token } = await subscriber('short', { expire_at: Math.floor(Date.now() / 1000) + 300 })
    const { exp } = decode(token)
    for (const [expire_at, expected] of [
      [undefined, exp],
      [exp + 86_400, exp],
      [exp - 100, exp - 100],
    ]) {
      const body = { allowed_addresses, expire_at }
      const answer = await server.call('/api/fabric/guests/tokens', {
        method: 'POST',
        body,
        ...bearer(token),
      })
      expect(answer.status).toBe(201)
      expect(decode(answer.json.token).exp).toBe(expected)
    }
  })

  it('takes one to ten addresses of the project', async () => {
    const red = await roomId('red')
    const stranger = '11111111-2222-4333-8444-555555555555'
    const { subscriber_id: another } = await subscriber('another')
    for (const [addresses, code] of [
      [[], 'invalid_parameter'],
      [[red, another], 'unrecognized_fabric_addresses'],
      [Array(11).fill(red), 'allowed_address_limit_exceeded'],
      [[red, 'red'], 'list_contains_invalid_entries'],
      [[red, stranger], 'unrecognized_fabric_addresses'],
      [red, 'not_an_array_of_strings'],
    ] as const) {
      const answer = await guest(addresses)
      expect(answer.status).toBe(422)
      expect(answer.json.errors).toMatchObject([{ code, attribute: 'allowed_addresses' }])
    }
    expect((await guest(Array(10).fill(red))).status).toBe(201)
  })

  it('tells of all that is wrong at once', async () => {
    const red = await roomId('red')
    const { token } = await subscriber()
    for (const [allowed_addresses, code, expire_at] of [
      [Array(11).fill(red), 'allowed_address_limit_exceeded', 'soon'],
      [['11111111-2222-4333-8444-555555555555'], 'unrecognized_fabric_addresses', 1],
    ] as const) {
      const body = { allowed_addresses, expire_at }
      const answer = await server.call('/api/fabric/guests/tokens', {
        method: 'POST',
        body,
        ...bearer(token),
      })
      expect(answer.status).toBe(422)
      expect(answer.json.errors).toMatchObject([
        { code, attribute: 'allowed_addresses' },
        { code: 'invalid_parameter', attribute: 'expire_at' },
      ])
    }
  })

  it('is for subscribers alone', async () => {
    const red = await roomId('red')
    const { json } = await guest([red])
    expect((await guest([red], {})).status).toBe(401)
    expect((await guest([red], bearer(json.token))).status).toBe(401)
  })
})

describe('POST /api/fabric/subscribers/tokens/revoke', () => {
  const revoke = (body: object, options: object = {}) =>
    server.call('/api/fabric/subscribers/tokens/revoke', { method: 'POST', body, ...options })

  it('voids all tokens of a subscriber at once; it can sign in again', async () => {
    for (const name of ['subscriber_id', 'reference'] as const) {
      const [first, second] = [await subscriber('villain'), await subscriber('villain')]
      const other = await subscriber('bystander')
      const allowed = { allowed_addresses: [await roomId('red')] }
      const asked = { method: 'POST', body: allowed, ...bearer(first.token) } as const
      const guest = (await server.call('/api/fabric/guests/tokens', asked)).json.token
      const who = name === 'reference' ? { reference: 'villain' } : { subscriber_id: first.subscriber_id }
      expect(await revoke(who)).toMatchObject({ status: 204, text: '' })
      for (const token of [first.token, second.token, guest]) {
        expect((await server.call('/api/fabric/addresses', bearer(token))).status).toBe(401)
      }
      const renewal = { method: 'POST', body: { refresh_token: first.refresh_token } } as const
      expect((await server.call('/api/fabric/subscribers/tokens/refresh', renewal)).status).toBe(422)
      for (const { token } of [other, await subscriber('villain')]) {
        expect((await server.call('/api/fabric/addresses', bearer(token))).status).toBe(200)
      }
      const [entry] = await server.storage.audit.list({ projectId: server.projectId }, 1)
      const [apiToken] = await server.storage.apiTokens.list(server.projectId)
      expect(entry).toMatchObject({
        actor_kind: 'api-token',
        actor: apiToken?.id,
        action: 'subscriber.revoke',
        target: first.subscriber_id,
      })
    }
  })

  it('is for the server of the project, and says what is wrong', async () => {
    const { token, subscriber_id } = await subscriber()
    expect((await revoke({ subscriber_id }, bearer(token))).status).toBe(401)
    const stranger = '11111111-2222-4333-8444-555555555555'
    for (const [body, status, code] of [
      [{}, 422, 'missing_required_parameter'],
      [{ subscriber_id, reference: 'ada' }, 422, 'incompatible_parameters'],
      [{ subscriber_id: 'ada' }, 422, 'invalid_parameter'],
      [{ subscriber_id: stranger }, 404, 'provided_id_is_unrecognized'],
      [{ reference: 'nobody' }, 404, 'does_not_exist'],
    ] as const) {
      const answer = await revoke(body)
      expect(answer.status).toBe(status)
      expect(answer.json.errors).toMatchObject([{ code }])
    }
  })
})

it('no token of an end user outlives its project', async () => {
  const gone = { user: newId(), password: 'token-of-a-project-to-go' }
  await server.storage.projects.insert({ id: gone.user, name: 'gone', created_at: 1 })
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id: gone.user, hash: hashApiToken(gone.password) }),
  )
  const post = (path: string, body: object, options: object) =>
    server.call(`/api/fabric/${path}`, { method: 'POST', body, ...options })
  const { json: tokens } = await post('subscribers/tokens', { reference: 'ada' }, { credentials: gone })
  const allowed = { allowed_addresses: [tokens.subscriber_id] }
  const { json: guest } = await post('guests/tokens', allowed, bearer(tokens.token))
  await server.storage.projects.delete(gone.user)

  const answers = [
    await server.call('/api/fabric/addresses', bearer(tokens.token)),
    await server.call('/api/fabric/addresses', bearer(guest.token)),
    await post('guests/tokens', allowed, bearer(tokens.token)),
    await post('subscribers/tokens/refresh', { refresh_token: tokens.refresh_token }, bearer(tokens.token)),
  ]
  for (const { status, json } of answers) {
    expect(status).toBe(401)
    expect(json.errors).toMatchObject([{ code: 'token_invalid' }])
  }
})
