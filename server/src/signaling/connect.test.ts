import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mintAccessToken } from '../fabric/access-tokens.ts'
import { newId } from '../ids.ts'
import { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'
import { sampleOffer } from '../testing/relay/sample-offer.ts'

let relay: RunningRelay
let roomNumber = 0
const idsOf = (members: unknown) => (members as { id: string }[]).map(({ id }) => id)
const newRoomName = () => `room-${++roomNumber}`

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

/** Waits until a token is refused because it has expired. */
const expired = (token: string) =>
  expect
    .poll(() => RelayClient.connect(relay.url(), token).then((client) => client.drop(), String), {
      timeout: 5000,
    })
    .toMatch(/expired/)

/** As `POST /api/fabric/subscribers/tokens` gives it. */
function subscriberToken(kind: 'subscriber' | 'refresh') {
  const [id, subscriber_id, sign_in_id] = [newId(), newId(), newId()]
  const expires_at = Date.now() + 600_000
  const grant = { kind, id, project_id: relay.projectId, subscriber_id, sign_in_id, expires_at } as const
  return mintAccessToken(grant, randomBytes(64), { now: Date.now(), host: 'localhost' })
}

/** The client whose call another client wants to resume. */
interface Ada {
  resume(): Promise<{ protocol: unknown; authorization_state: unknown }>
}

async function withForeignState({ protocol }: Awaited<ReturnType<Ada['resume']>>) {
  const mallory = await relay.connect({ room_name: newRoomName() })
  return { protocol, authorization_state: await stateOf(mallory) }
}

const stateOf = async (client: RelayClient, since = 0) =>
  (await client.event('signalwire.authorization.state', { since })).authorization_state

describe('signalwire.connect', () => {
  test('answers what the browser client needs', async () => {
    const room_name = newRoomName()
    await relay.addRoom({ name: room_name, display_name: 'Stand-up', meta: { colour: 'red' } })
    const { session } = await relay.connect({ room_name, permissions: ['room.lock'], join_as: 'member' })
    expect(session).toMatchObject({
      identity: expect.any(String),
      ice_servers: [],
      authorization: {
        type: 'video',
        project_id: relay.projectId,
        join_as: 'member',
        user_name: 'Ada',
        room: { name: room_name, display_name: 'Stand-up', scopes: ['room.lock'], meta: { colour: 'red' } },
        audio_allowed: 'both',
        video_allowed: 'both',
        expires_at: expect.any(Number),
      },
    })
    const { signature, jti } = session.authorization as Record<string, unknown>
    expect(signature).toMatch(/^[^_]+$/)
    expect((session.protocol as string).split('_')[1]).toBe(signature)
    expect(jti).toBeUndefined()
  })

  test.each([
    ['all', 'member', 'both', 'both'],
    ['audio-only', 'member', 'both', 'none'],
    ['video-only', 'member', 'none', 'both'],
    ['all', 'audience', 'receive', 'receive'],
    ['video-only', 'audience', 'none', 'receive'],
  ] as const)('of %s as %s says which way media may go', async (media_allowed, join_as, audio, video) => {
    const { session } = await relay.connect({ media_allowed, join_as })
    expect(session.authorization).toMatchObject({ join_as, audio_allowed: audio, video_allowed: video })
  })

  test('is followed by requests that need not wait for its answer', async () => {
    const client = await relay.open()
    const authentication = { jwt_token: await relay.token({ room_name: newRoomName() }) }
    const signedIn = client.request('signalwire.connect', { authentication })
    const asked = client.request('video.members.get', { room_session_id: newId() })
    expect(await signedIn).toMatchObject({ result: { protocol: expect.any(String) } })
    expect(await asked).toMatchObject({ result: { code: '404' } })
  })

  test('that is refused is followed by refusals alone', async () => {
    const client = await relay.open()
    const signedIn = client.request('signalwire.connect', { authentication: { jwt_token: 'nonsense' } })
    const asked = client.request('video.members.get', { room_session_id: newId() })
    expect(await signedIn).toMatchObject({ error: { code: -32002 } })
    expect(await asked).toMatchObject({ error: { message: expect.stringMatching(/Not connected/) } })
  })

  test('makes up a name where the token has none', async () => {
    const [one, other] = await Promise.all([
      relay.connect({ user_name: null }),
      relay.connect({ user_name: null }),
    ])
    const nameOf = ({ session }: typeof one) => (session.authorization as { user_name: string }).user_name
    expect(nameOf(one)).toMatch(/^[a-z0-9]{8}$/)
    expect(nameOf(one)).not.toBe(nameOf(other))
  })

  test.each([
    ['that is none', () => 'nonsense', /not a room token/],
    ['of a subscriber', () => subscriberToken('subscriber'), /subscribers and guests.*room token/],
    ['that renews that of a subscriber', () => subscriberToken('refresh'), /subscribers and guests/],
    ['of another server', () => relay.token({}, randomBytes(64)), /not issued by this server/],
    ['that has expired', () => relay.token({ issued_at: Date.now() - 25 * 3600_000 }), /expired/],
    ['before its window', () => relay.token({ join_from: Date.now() + 60_000 }), /opens at/],
    ['after its window', () => relay.token({ join_until: Date.now() - 1000 }), /was over/],
    [
      'for a room that is not there',
      () => relay.token({ room_name: 'gone', auto_create_room: false }),
      /does not exist/,
    ],
  ])('with a token %s is refused', async (_, token, message) => {
    const client = await relay.open()
    const { error } = await client.request('signalwire.connect', {
      authentication: { jwt_token: await token() },
    })
    expect(error).toEqual({ code: -32002, message: expect.stringMatching(message) })
    // The same socket may try again with a valid token.
    const again = await client.request('signalwire.connect', {
      authentication: { jwt_token: await relay.token() },
    })
    expect(again.result?.protocol).toEqual(expect.any(String))
  })

  test.each([{}, { authentication: {} }, { authentication: { jwt_token: 5 } }])(
    'with %j is told what is missing',
    async (params) => {
      const client = await relay.open()
      expect((await client.request('signalwire.connect', params)).error).toMatchObject({ code: -32602 })
    },
  )

  test('twice on one socket is refused, at once too', async () => {
    const client = await relay.open()
    const jwt_token = await relay.token()
    const both = await Promise.all([
      client.request('signalwire.connect', { authentication: { jwt_token } }),
      client.request('signalwire.connect', { authentication: { jwt_token } }),
    ])
    expect(both.filter(({ error }) => error?.code === -32600)).toHaveLength(1)
  })
})

describe('a client that comes back', () => {
  test('resumes its call: same protocol, same member, and it is told what it missed', async () => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const state = await stateOf(first, 1)
    first.drop()
    const bob = await relay.enter({ room_name, user_name: 'Bob' })
    const again = await RelayClient.connect(relay.url(), token, {
      protocol: first.session.protocol,
      authorization_state: state,
    })
    expect(again.session.protocol).toBe(first.session.protocol)
    await again.event('video.layout.changed')
    const updated = again.events.filter(({ type }) => type === 'video.member.updated')
    expect(updated.map(({ params }) => (params.member as { name: string; updated: string[] }).name)).toEqual([
      'Ada',
      'Bob',
    ])
    const { result } = await again.request('video.members.get', { room_session_id: call.sessionId })
    expect(idsOf(result?.members)).toEqual([call.memberId, bob.call.memberId])
    await again.verto('verto.bye', { dialogParams: { callID: call.callID } })
    again.drop()
  })

  test.each([
    ['was silent', (client: RelayClient) => client.goSilent()],
    ['was closed by a page that was left, and is shown again', (client: RelayClient) => client.leavePage()],
  ])('is told what happened while its socket %s: mutes, lock, who left', async (how, goAway) => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const dialog = { screenShare: true, userVariables: { memberCallId: call.callID } }
    const share = newId()
    await first.verto('verto.invite', { dialogParams: { callID: share, ...dialog }, sdp: sampleOffer() })
    const shown = await first.event('video.member.joined', {
      right: ({ member }) => (member as { type: string }).type === 'screen',
    })
    const permissions = ['room.member.audio_mute', 'room.lock', 'room.member.remove']
    const bob = await relay.enter({ room_name, user_name: 'Bob', permissions })
    const eve = await relay.enter({ room_name, user_name: 'Eve' })
    const state = await stateOf(first, 1)
    goAway(first)

    const room_session_id = call.sessionId
    const act = async (method: string, params = {}) => {
      const { result } = await bob.request(method, { room_session_id, ...params })
      expect(result).toMatchObject({ code: '200' })
    }
    await act('video.member.audio_mute', { member_id: call.memberId })
    await act('video.lock')
    await act('video.member.remove', { member_id: (shown.member as { id: string }).id })
    await eve.verto('verto.bye', { dialogParams: { callID: eve.call.callID } })
    const again = await RelayClient.connect(relay.url(), token, {
      protocol: first.session.protocol,
      authorization_state: state,
    })
    await again.event('video.layout.changed')
    await again.event('video.member.updated', {
      right: ({ member }) => {
        const { id, audio_muted, updated } = member as { id: string; audio_muted: boolean; updated: string[] }
        return id === call.memberId && audio_muted && updated.includes('audio_muted')
      },
    })
    await again.event('video.room.updated', {
      right: ({ room_session }) => (room_session as { locked?: boolean }).locked === true,
    })
    for (const id of [eve.call.memberId, (shown.member as { id: string }).id]) {
      await again.event('video.member.left', { right: ({ member }) => (member as { id: string }).id === id })
    }
    if (how === 'was silent') {
      expect(await again.vertoEvent('verto.bye')).toMatchObject({ params: { callID: share } })
    }
    again.drop()
    first.drop()
  })

  test('with a new page gets a new answer and its old seat, and nobody else hears of it', async () => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const bob = await relay.enter({ room_name, user_name: 'Bob' })
    const before = bob.events.length
    first.socket.close(1001)
    const again = await RelayClient.connect(relay.url(), token, {
      protocol: first.session.protocol,
      authorization_state: await stateOf(first, 1),
    })
    await again.join(call.callID)
    const subscribed = await again.event('video.room.subscribed')
    expect(subscribed).toMatchObject({ call_id: call.callID, member_id: call.memberId })
    expect(bob.events.slice(before)).toEqual([])
    again.drop()
  })

  test('takes the place of an elder socket, which is told that its call is over', async () => {
    const token = await relay.token({ room_name: newRoomName() })
    const elder = await RelayClient.connect(relay.url(), token)
    const call = await elder.join()
    const younger = await RelayClient.connect(relay.url(), token, {
      protocol: elder.session.protocol,
      authorization_state: await stateOf(elder, 1),
    })
    expect(await elder.vertoEvent('verto.bye')).toMatchObject({ params: { callID: call.callID } })
    await elder.closed()
    await younger.event('video.layout.changed')
    younger.drop()
  })

  test('over a socket that it closes before it is signed in takes no place', async () => {
    const token = await relay.token({ room_name: newRoomName() })
    const ada = await RelayClient.connect(relay.url(), token)
    const { sessionId } = await ada.join()
    const late = Promise.withResolvers<void>()
    const check = vi.spyOn(relay.registry, 'checkToken').mockReturnValueOnce(late.promise)
    const given = await relay.open()
    const params = {
      authentication: { jwt_token: token },
      protocol: ada.session.protocol,
      authorization_state: await stateOf(ada, 1),
    }
    given.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: newId(), method: 'signalwire.connect', params }))
    await expect.poll(() => check.mock.calls.length).toBe(1)
    // Its end says that it closes, and does not hear the answer to that.
    given.socket.pause()
    given.socket.close()
    const askForMembers = () => ada.request('video.members.get', { room_session_id: sessionId })
    await askForMembers()
    await askForMembers()
    late.resolve()
    check.mockRestore()
    await askForMembers()
    const told = ada.events.map(({ type, params: { method } }) => method ?? type)
    expect(told).not.toContain('verto.bye')
    expect(ada.closeCode).toBeNull()
    given.socket.terminate()
    ada.drop()
  })

  test('may use an expired token while it is in its room, and only then', async () => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name, issued_at: Date.now() - 24 * 3600_000 + 400 })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const resume = { protocol: first.session.protocol, authorization_state: await stateOf(first, 1) }
    first.drop()
    await expired(token)
    const again = await RelayClient.connect(relay.url(), token, resume)
    expect(again.session.protocol).toBe(first.session.protocol)
    await again.verto('verto.bye', { dialogParams: { callID: call.callID } })
    again.drop()
    await expect(RelayClient.connect(relay.url(), token, resume)).rejects.toThrow(/expired/)
  })

  test.each([
    ['without what it was given to keep', async () => ({})],
    ['with what another client was given', (ada: Ada) => ada.resume().then(withForeignState)],
    ['in a call that another token made', (ada: Ada) => ada.resume()],
  ] as const)('may not use an expired token %s', async (how, proof) => {
    const room_name = newRoomName()
    const dying = { room_name, issued_at: Date.now() - 24 * 3600_000 + 400 }
    const ownsCall = !how.includes('another token')
    const tokens = [await relay.token(ownsCall ? dying : { room_name }), await relay.token(dying)]
    const [made, other] = tokens as [string, string]
    const client = await RelayClient.connect(relay.url(), made)
    await client.join()
    const ada = {
      resume: async () => ({
        protocol: client.session.protocol,
        authorization_state: await stateOf(client, 1),
      }),
    }
    const presented = ownsCall ? made : other
    await expired(presented)
    const resume = { protocol: client.session.protocol, ...(await proof(ada)) }
    await expect(RelayClient.connect(relay.url(), presented, resume)).rejects.toThrow(/expired/)
    expect(client.closeCode).toBeNull()
    client.drop()
  })

  test('gets back nothing that its token granted before another one renewed it', async () => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name, issued_at: Date.now() - 24 * 3600_000 + 600 })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const jwt_token = await relay.token({ room_name, permissions: [] })
    await first.request('signalwire.reauthenticate', { authentication: { jwt_token } })
    const resume = { protocol: first.session.protocol, authorization_state: await stateOf(first, 1) }
    first.drop()
    await expired(token)
    const again = await RelayClient.connect(relay.url(), token, resume)
    const mute = { room_session_id: call.sessionId, member_id: call.memberId }
    expect((await again.request('video.member.audio_mute', mute)).result?.code).toBe('403')
    again.drop()
  })

  describe('to a server that does not know its call', () => {
    const callId = newId()
    const state = { secret: 'of another life', callId }
    const comeBack = async () => {
      const token = await relay.token({ room_name: newRoomName() })
      return RelayClient.connect(relay.url(), token, {
        protocol: `signalwire_0000_${newId()}_${relay.projectId}`,
        authorization_state: Buffer.from(JSON.stringify(state)).toString('base64url'),
      })
    }

    test('joins anew if its page was loaded again', async () => {
      const client = await comeBack()
      expect((await client.join(callId)).memberId).toEqual(expect.any(String))
      const mute = { room_session_id: 'from before' }
      expect((await client.request('video.members.get', mute)).result?.code).toBe('404')
      expect(client.events.map(({ params }) => params.method)).not.toContain('verto.bye')
      client.drop()
    })

    test('is told that it is over as soon as it acts in it', async () => {
      const client = await comeBack()
      const params = { room_session_id: 'from before', member_id: 'me' }
      expect((await client.request('video.member.audio_mute', params)).result?.code).toBe('404')
      expect(await client.vertoEvent('verto.bye')).toMatchObject({
        params: { callID: callId, cause: 'RECOVERY_ON_TIMER_EXPIRE' },
      })
      client.drop()
    })
  })

  test.each([
    ['the token of somebody else', { user_name: 'Mallory' }],
    ['a token for another room', { room_name: 'elsewhere' }],
  ])('with the protocol of another client and %s becomes a new client', async (_, fields) => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name })
    const token = await relay.token({ room_name, ...fields })
    const mallory = await RelayClient.connect(relay.url(), token, { protocol: ada.session.protocol })
    expect(mallory.session.protocol).not.toBe(ada.session.protocol)
    expect(ada.closeCode).toBeNull()
    mallory.drop()
  })

  test('after the grace has lost its seat', async () => {
    const room_name = newRoomName()
    const token = await relay.token({ room_name })
    const bob = await relay.enter({ room_name, user_name: 'Bob' })
    const first = await RelayClient.connect(relay.url(), token)
    const call = await first.join()
    const state = await stateOf(first, 1)
    first.drop()
    const left = await bob.event('video.member.left')
    expect(left.member).toMatchObject({ id: call.memberId })
    const again = await RelayClient.connect(relay.url(), token, {
      protocol: first.session.protocol,
      authorization_state: state,
    })
    expect(again.session.protocol).not.toBe(first.session.protocol)
    const gone = { room_session_id: call.sessionId, member_id: call.memberId }
    await again.request('video.member.audio_mute', gone)
    expect(await again.vertoEvent('verto.bye')).toMatchObject({ params: { callID: call.callID } })
    again.drop()
  })
})

describe('signalwire.reauthenticate', () => {
  test('changes what the member may do', async () => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name, permissions: [] })
    const mute = { room_session_id: ada.call.sessionId, member_id: ada.call.memberId }
    expect((await ada.request('video.member.audio_mute', mute)).result?.code).toBe('403')
    const jwt_token = await relay.token({ room_name })
    const { result } = await ada.request('signalwire.reauthenticate', {
      authentication: { project: relay.projectId, jwt_token },
    })
    expect(result).toMatchObject({ protocol: ada.session.protocol, authorization: { type: 'video' } })
    expect((await ada.request('video.member.audio_mute', mute)).result?.code).toBe('200')
  })

  test('with a token for another room is refused', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const jwt_token = await relay.token({ room_name: 'elsewhere' })
    const { error } = await ada.request('signalwire.reauthenticate', { authentication: { jwt_token } })
    expect(error).toMatchObject({ code: -32002, message: expect.stringContaining('another room') })
  })

  test('without a token is refused', async () => {
    const ada = await relay.connect()
    expect((await ada.request('signalwire.reauthenticate')).error?.code).toBe(-32602)
    expect(
      (await ada.verto('verto.invite', { dialogParams: { callID: 'x' }, sdp: sampleOffer() })).result?.code,
    ).toBe('200')
  })
})
