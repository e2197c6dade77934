import { describe, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { operation } from './api-document.ts'
import type { CallAnswer } from './caller.ts'
import { freshName } from './project.ts'
import type { Suite } from './suite.ts'

const codes = (answer: CallAnswer): string[] => answer.json.errors.map(({ code }: { code: string }) => code)

/** Tests rules that no schema contains: names, windows, expiry, limits, and repeated requests. */
export function rules(suite: Suite): void {
  const call = (id: string, options: object = {}) => {
    const target = operation(id)
    return suite.caller.call(target, { authorization: suite.project.authorizationFor(target), ...options })
  }

  describe('names', () => {
    test('are unique in the project, over rooms and conferences, by case', async () => {
      const name = freshName()
      const create = (id: string, given: string) => call(id, { body: { name: given, display_name: 'x' } })
      expect((await create('createRoom', name)).status).toBe(200)
      for (const id of ['createRoom', 'createConference']) {
        expect(codes(await create(id, name))).toEqual(['not_unique_within_project'])
      }
      expect((await create('createRoom', name.toUpperCase())).status).toBe(200)
      expect((await suite.other.call(operation('createRoom'), { body: { name } })).name).toBe(name)
    })

    test.each([
      { makers: ['createRoom'] },
      { makers: ['createConference'] },
      { makers: ['createRoom', 'createConference'] },
    ])('of requests that race for one, one wins: $makers', async ({ makers }) => {
      const body = { name: freshName(), display_name: 'x' }
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, i) => call(makers[i % makers.length] ?? '', { body })),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const losers = answers.filter(({ status }) => status === 422)
      expect(losers.map(codes)).toEqual(Array.from({ length: 15 }, () => ['not_unique_within_project']))
    })

    test('lead to their rooms; conferences and those that nothing has do not', async () => {
      const body = { name: freshName(), display_name: 'x' }
      const { id } = (await call('createRoom', { body })).json
      const query = { include_active_session: 'true' }
      const found = await call('getRoom', { path: { id: body.name }, query })
      expect(found.json).toMatchObject({ id, name: body.name, active_session: null })
      const conference = await call('createConference', { body: { ...body, name: freshName() } })
      for (const name of [freshName(), conference.json.name, 'no name at all', '9d3f2c50-1f6e']) {
        const missing = await call('getRoom', { path: { id: name } })
        expect([missing.status, codes(missing)], name).toEqual([404, ['does_not_exist']])
      }
    })

    test('stay; the present one may be sent back', async () => {
      const room = (await call('createRoom', { body: { name: freshName() } })).json
      const update = (body: object) => call('updateRoom', { path: { id: room.id }, body })
      expect((await update({ name: room.name, max_members: 7 })).json).toMatchObject({ max_members: 7 })
      expect(codes(await update({ name: `${room.name}x` }))).toEqual(['invalid_parameter'])
    })
  })

  test('an update leaves what is absent, and null resets', async () => {
    const body = { name: freshName(), display_name: 'Shown', max_members: 7, meta: { a: 1 } }
    const { id, name } = (await call('createRoom', { body })).json
    const kept = (await call('updateRoom', { path: { id }, body: { description: 'New' } })).json
    expect(kept).toMatchObject({ display_name: 'Shown', max_members: 7, meta: { a: 1 }, description: 'New' })
    const reset = { display_name: null, max_members: null, meta: null, description: null }
    expect((await call('updateRoom', { path: { id }, body: reset })).json).toMatchObject({
      display_name: name,
      max_members: 20,
      meta: null,
      description: null,
    })
  })

  test('a window must not close before it opens, also across updates', async () => {
    const window = { join_from: '2030-01-02', join_until: '2030-01-01' }
    for (const [id, name] of [
      ['createRoom', 'name'],
      ['createConference', 'display_name'],
      ['createRoomToken', 'room_name'],
    ] as const) {
      expect(codes(await call(id, { body: { [name]: freshName(), ...window } }))).toEqual([
        'invalid_join_until_date',
      ])
    }
    const id = await suite.project.makeRoom({ join_until: '2030-01-01' })
    const answer = await call('updateRoom', { path: { id }, body: { join_from: '2030-01-02' } })
    expect(codes(answer)).toEqual(['invalid_join_until_date'])
  })

  test.each([
    { make: 'createRoom', update: 'updateRoom' },
    { make: 'createConference', update: 'updateConference' },
  ])('updates that race are neither lost nor lead past the rules: $update', async ({ make, update }) => {
    // Each of the two updates is valid alone, but both together are not.
    const [opensLater, closesEarlier] = [{ join_from: '2030-01-02T12:00:00Z' }, { join_until: '2030-01-02' }]
    const racing = Array.from({ length: 6 }, () => [opensLater, closesEarlier]).flat()
    for (let attempt = 0; attempt < 20; attempt++) {
      const window = { join_from: '2030-01-01', join_until: '2030-01-03' }
      const body = { name: freshName(), display_name: 'x', ...window }
      const path = { id: (await call(make, { body })).json.id }
      const change = (changes: object) => call(update, { path, body: { display_name: 'x', ...changes } })
      const answers = await Promise.all([{ meta: { a: 1 } }, ...racing].map(change))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(7)
      const refused = answers.filter(({ status }) => status === 422)
      expect(refused.map(codes)).toEqual(Array.from({ length: 6 }, () => ['invalid_join_until_date']))
      expect((await change({})).json.meta).toEqual({ a: 1 })
    }
  })

  test('lists are filtered by windows', async () => {
    const early = await suite.project.makeRoom({ join_from: '2040-01-01', join_until: '2040-01-02' })
    const late = await suite.project.makeRoom({ join_from: '2041-01-01', join_until: '2041-01-02' })
    const listed = async (query: object) =>
      (await call('listRooms', { query })).json.data
        .map(({ id }: { id: string }) => id)
        .filter((id: string) => id === early || id === late)
    expect(await listed({ starts_after: '2041-01-01' })).toEqual([late])
    expect(await listed({ starts_after: '2040-01-01' })).toEqual([late, early])
    expect(await listed({ starts_after: '2039-01-01', ends_before: '2040-01-02' })).toEqual([early])
  })

  test('the session in progress is shown where it is asked for', async () => {
    const id = await suite.project.makeRoom()
    expect((await call('getRoom', { path: { id } })).json).not.toHaveProperty('active_session')
    const query = { include_active_session: 'true' }
    expect((await call('getRoom', { path: { id }, query })).json.active_session).toBeNull()
  })

  describe('expiry', () => {
    test('links to recordings work for as long as they say, in ranges too', async () => {
      const id = await suite.project.someId('/api/video/room_recordings')
      const link = async (query: object) =>
        (await call('getRoomRecording', { path: { id }, query })).json.uri as string
      const { pathname, search } = new URL(await link({ media_ttl: '60' }))
      const range = { range: 'bytes=0-99' }
      // In a cluster, the other nodes have it once it is in the store.
      const part = await eventually(
        'the part',
        () => suite.caller.fetch('GET', pathname + search, { authorization: null, headers: range }),
        ({ status }) => status !== 503,
      )
      expect(part.status).toBe(206)
      // A page of another origin can play it, and a download that broke off goes on.
      expect(part.headers['access-control-allow-origin']).toBe('*')
      const resumed = async (ifRange: string) => {
        const headers = { ...range, 'if-range': ifRange }
        return (await suite.caller.fetch('GET', pathname + search, { authorization: null, headers })).status
      }
      expect(await resumed(String(part.headers.etag))).toBe(206)
      expect(await resumed('"of-another-file"')).toBe(200)
      const over = new URL(await link({ media_ttl: '0' }))
      const refused = await suite.caller.fetch('GET', over.pathname + over.search, { authorization: null })
      expect(refused.status).toBe(403)
      expect(codes(refused)).toEqual(['token_expired'])
    })

    test('tokens of users end when they say', async () => {
      const expire_at = Math.floor(Date.now() / 1000) + 2
      const made = await call('createSubscriberToken', { body: { reference: 'soon over', expire_at } })
      const authorization = `Bearer ${made.json.token}`
      expect((await call('listAddresses', { authorization })).status).toBe(200)
      const over = await eventually(
        'the token has ended',
        () => call('listAddresses', { authorization }),
        ({ status }) => status !== 200,
      )
      expect([over.status, codes(over)]).toEqual([401, ['token_expired']])
      expect(Date.now()).toBeGreaterThanOrEqual(expire_at * 1000)
      const past = { reference: 'too late', expire_at: 1 }
      expect((await call('createSubscriberToken', { body: past })).status).toBe(422)
    })

    test('a reset gives the token of a conference another secret', async () => {
      const id = await suite.project.makeConferenceToken()
      const before = (await call('getConferenceToken', { path: { id } })).json
      const after = (await call('resetConferenceToken', { path: { id } })).json
      const url = before.url.replace(before.token, after.token)
      expect(after).toEqual({ ...before, token: expect.stringMatching(/^vpt_/), url })
      expect(after.token).not.toBe(before.token)
    })
  })

  test('a guest sees the addresses of its token and no others', async () => {
    const [allowed, hidden] = [await suite.project.makeRoom(), await suite.project.makeRoom()]
    const made = await call('createGuestToken', { body: { allowed_addresses: [allowed] } })
    const authorization = `Bearer ${made.json.token}`
    const list = (await call('listAddresses', { authorization })).json.data
    expect(list.map(({ id }: { id: string }) => id)).toEqual([allowed])
    expect((await call('getAddress', { path: { id: hidden }, authorization })).status).toBe(404)
    const tooMany = { allowed_addresses: Array.from({ length: 11 }, () => allowed) }
    expect(codes(await call('createGuestToken', { body: tooMany }))).toEqual([
      'allowed_address_limit_exceeded',
    ])
  })

  test('streams go to RTMP servers outside of private networks, a few for each room', async () => {
    const id = await suite.project.makeRoom()
    const create = async (url: string) => call('createRoomStream', { path: { id }, body: { url } })
    for (const url of ['', 'text', 'http://live.example.com/app', 'rtmp://', 'rtmp:///app', 'javascript:1']) {
      expect(codes(await create(url)), url).toEqual(['url_failed_to_parse'])
    }
    for (const host of [
      '127.0.0.1',
      'localhost',
      '10.1.2.3',
      '[::1]',
      '0x7f000001',
      '169.254.169.254',
      '2130706433',
    ]) {
      expect(codes(await create(`rtmp://${host}/app/key`)), host).toEqual(['url_is_unsafe'])
    }
    const created = await Promise.all(
      Array.from({ length: 5 }, (_, i) => create(`rtmps://live${i}.example.com/app/key`)),
    )
    expect(created.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(codes(await create('rtmps://live.example.com/app/key'))).toEqual(['exceeds_platform_stream_limit'])
    const { data, links } = (await call('listRoomStreams', { path: { id } })).json
    expect(data).toHaveLength(5)
    expect([links.next, links.prev]).toEqual([null, null])
  })

  test('an Idempotency-Key makes a POST happen once', async () => {
    const headers = { 'idempotency-key': freshName() }
    const body = { name: freshName() }
    const first = await call('createRoom', { headers, body })
    const again = await call('createRoom', { headers, body })
    expect([again.status, again.json]).toEqual([200, first.json])
    expect(again.headers['idempotency-replayed']).toBe('true')
    const different = await call('createRoom', { headers, body: { name: freshName() } })
    expect(codes(different)).toEqual(['incompatible_parameters'])
  })

  test('what is deleted is gone, and deleting it again says so', async () => {
    const id = await suite.project.makeRoom()
    const remove = () => call('deleteRoom', { path: { id } })
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect((await call('getRoom', { path: { id } })).status).toBe(404)
  })
}
