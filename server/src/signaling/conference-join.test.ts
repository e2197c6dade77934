import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SERVER } from '../audit/audit.ts'
import { PERMISSIONS } from '../rooms/permissions.ts'
import { newPass } from '../rooms/waiting-room/waiting-pass.ts'
import { hashConferenceToken, newConferenceToken } from '../secrets/conference-token-secret.ts'
import type { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'

let relay: RunningRelay

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

const authorizationOf = (client: { session: Record<string, unknown> }) =>
  client.session.authorization as Record<string, unknown>
const stateOf = async (client: RelayClient) =>
  (await client.event('signalwire.authorization.state')).authorization_state

/** The error of a connect with this token. */
async function refusal(token: string): Promise<{ code: number; message: string } | undefined> {
  const client = await relay.open()
  const answer = await client.request('signalwire.connect', { authentication: { jwt_token: token } })
  client.drop()
  return answer.error
}
const REFUSED = { code: -32002, message: expect.stringMatching(/no such conference token any more/) }

describe('a conference token', () => {
  test('waits before a waiting room until somebody lets its holder in, who may come back then', async () => {
    const { conference, moderator, guest } = await relay.addConference({ waiting_room: true })
    const joined = async (token: string) => {
      const client = await relay.connectWith(token)
      return client.join().then(
        () => 'in',
        (error: unknown) => JSON.stringify(error) + String(error),
      )
    }
    expect(await joined(guest.token)).toMatch(/until a moderator lets you in/)
    expect(await joined(`${guest.token}~pass:zz.zz`)).toMatch(/until a moderator lets you in/)
    expect(await joined(moderator.token)).toBe('in')
    expect(await joined(`${guest.token}~audience`)).toBe('in')
    const holder = {
      id: '',
      project_id: relay.projectId,
      room_name: conference.name,
      conference_token_hash: hashConferenceToken(guest.token),
    }
    const pass = newPass(holder, relay.tokenKey, Date.now())
    expect(await joined(`${guest.token}~pass:${pass}`)).toBe('in')
    expect(await joined(`${guest.token}~pass:${pass}`)).toBe('in')
  })

  test('lets somebody only watch who asks for it, and takes their permissions', async () => {
    const { moderator } = await relay.addConference({})
    const watcher = await relay.connectWith(`${moderator.token}~audience`)
    expect(authorizationOf(watcher)).toMatchObject({
      join_as: 'audience',
      audio_allowed: 'receive',
      video_allowed: 'receive',
      room: { scopes: [] },
    })
    expect(await refusal('vpt_000~audience')).toMatchObject(REFUSED)
  })

  test('lets into its conference, as what it is for', async () => {
    const { conference, moderator, guest } = await relay.addConference({ meta: { colour: 'red' } })
    const host = await relay.connectWith(moderator.token)
    expect(authorizationOf(host)).toMatchObject({
      type: 'video',
      project_id: relay.projectId,
      join_as: 'member',
      user_name: expect.stringMatching(/^[a-z0-9]{8}$/),
      room: {
        name: conference.name,
        display_name: 'Conference',
        meta: { colour: 'red' },
        scopes: [...PERMISSIONS],
      },
      audio_allowed: 'both',
      video_allowed: 'both',
      auto_create_room: false,
      // 0 means that the token has no end that a client must watch.
      expires_at: 0,
    })
    const visitor = await relay.connectWith(guest.token)
    expect(authorizationOf(visitor)).toMatchObject({ room: { scopes: guest.scopes } })
    const [hosting, visiting] = [await host.join(), await visitor.join()]
    expect(visiting.sessionId).toBe(hosting.sessionId)
    const session = await relay.storage.sessions.find(relay.projectId, hosting.sessionId)
    expect(session).toMatchObject({ room_id: conference.id, name: conference.name, max_members: 50 })

    const remove = (client: RelayClient, member_id: string) =>
      client.request('video.member.remove', { room_session_id: hosting.sessionId, member_id })
    expect((await remove(visitor, hosting.memberId)).result?.code).toBe('403')
    expect((await remove(host, visiting.memberId)).result?.code).toBe('200')
    await visitor.vertoEvent('verto.bye')
  })

  test('names nobody: members call themselves what they like, on one line of 100 characters', async () => {
    const { guest } = await relay.addConference()
    const nameOf = async (caller_id_name: unknown) => {
      const client = await relay.connectWith(guest.token)
      const { memberId } = await client.join(undefined, { caller_id_name })
      const { room_session } = await client.event('video.room.subscribed')
      const { members } = room_session as { members: { id: string; name: string }[] }
      return members.find(({ id }) => id === memberId)?.name
    }
    expect(await nameOf(' Ada\n Lovelace\u0000 ')).toBe('Ada Lovelace')
    expect(await nameOf('x'.repeat(300))).toBe('x'.repeat(100))
    for (const none of [undefined, '', ' \t', 7, { name: 'Ada' }]) {
      expect(await nameOf(none)).toMatch(/^[a-z0-9]{8}$/)
    }
  })

  test('leads to the same session as a room token for the name of the conference', async () => {
    const { conference, guest } = await relay.addConference()
    const guestCall = await (await relay.connectWith(guest.token)).join()
    const { call } = await relay.enter({ room_name: conference.name, auto_create_room: false })
    expect(call.sessionId).toBe(guestCall.sessionId)
  })

  test('is shared by many: none of them is taken for another', async () => {
    const { guest } = await relay.addConference()
    const [one, other] = [await relay.connectWith(guest.token), await relay.connectWith(guest.token)]
    expect(one.session.protocol).not.toBe(other.session.protocol)
    await one.join()
    // A client that knows only the name of another client session must not get its calls.
    const thief = await relay.connectWith(guest.token, { protocol: one.session.protocol })
    expect(thief.session.protocol).not.toBe(one.session.protocol)
    expect(one.closeCode).toBeNull()
  })

  test('lets its bearer come back to the call that was dropped', async () => {
    const { guest } = await relay.addConference()
    const client = await relay.connectWith(guest.token)
    await client.join()
    const authorization_state = await stateOf(client)
    client.drop()
    const { protocol } = client.session
    const again = await relay.connectWith(guest.token, { protocol, authorization_state })
    expect(again.session.protocol).toBe(protocol)
    expect(relay.registry.sessions.at(-1)?.members).toHaveLength(1)
  })

  test('takes as many members as the conference has places', async () => {
    const { guest } = await relay.addConference({ size: 'small' })
    for (let count = 0; count < 10; count++) await (await relay.connectWith(guest.token)).join()
    const eleventh = await relay.connectWith(guest.token)
    await expect(eleventh.join()).rejects.toThrow(/"480"/)
  }, 30_000)

  test.each([
    ['before its window', { join_from: Date.now() + 60_000 }, /opens at/],
    ['after its window', { join_until: Date.now() - 1000 }, /was over/],
  ])('lets nobody in %s', async (_, window, message) => {
    const { moderator } = await relay.addConference(window)
    expect(await refusal(moderator.token)).toEqual({ code: -32002, message: expect.stringMatching(message) })
  })

  test.each([newConferenceToken(), 'vpt_', `vpt_${'0'.repeat(100_000)}`, 'vpt_\u0000'])(
    'that nobody gave out is refused',
    async (token) => {
      expect(await refusal(token)).toEqual(REFUSED)
    },
  )

  test('is not its hash, nor what is stored of it', async () => {
    const { guest } = await relay.addConference()
    const stored = await relay.storage.conferenceTokens.findByHash(hashConferenceToken(guest.token))
    expect(stored?.id).toBe(guest.id)
    for (const text of [stored!.hash, stored!.sealed, guest.id]) {
      expect(await refusal(`vpt_${text}`)).toEqual(REFUSED)
    }
  })
})

describe('a conference token that is reset', () => {
  test('is worth nothing at once, and its successor is', async () => {
    const { conference, guest, moderator } = await relay.addConference()
    const [member, waiting] = [await relay.connectWith(guest.token), await relay.connectWith(guest.token)]
    await member.join()
    const host = await relay.connectWith(moderator.token)
    await host.join()
    const authorization_state = await stateOf(member)
    const { token } = await relay.conferenceTokens.reset(relay.projectId, guest.id, SERVER)

    expect(await refusal(guest.token)).toEqual(REFUSED)
    // This client connected before, but has not joined the room, so it is refused.
    await expect(waiting.join()).rejects.toThrow(/"403".*not valid any more/)
    const renewal = { authentication: { jwt_token: guest.token } }
    expect((await waiting.request('signalwire.reauthenticate', renewal)).error).toEqual(REFUSED)
    const renewed = await waiting.request('signalwire.reauthenticate', {
      authentication: { jwt_token: token },
    })
    expect(renewed.error).toBeUndefined()
    await waiting.join()

    // The member who joined with the token is removed. Members with the right to remove others learn the reason.
    expect(await member.vertoEvent('verto.bye')).toMatchObject({ params: { cause: 'CALL_REJECTED' } })
    expect(await host.event('video.member.left')).toMatchObject({ reason: 'token_reset' })
    const session = relay.registry.sessions.find(({ roomId }) => roomId === conference.id)
    expect(session?.members).toHaveLength(2)
    await session?.writes.flushedOrStuck()
    const events = await relay.storage.events.list(
      relay.projectId,
      { sessionId: session?.id ?? '' },
      { limit: 100 },
    )
    const left = events.rows.filter(({ name }) => name === 'member.left')
    expect(left).toMatchObject([{ payload: { reason: 'token_reset' } }])
    member.drop()
    const back = await relay.open()
    const resumption = { ...renewal, protocol: member.session.protocol, authorization_state }
    expect((await back.request('signalwire.connect', resumption)).error).toEqual(REFUSED)
    // The conference's other token is not affected.
    expect(host.events.map(({ params }) => params.method)).not.toContain('verto.bye')
    await (await relay.connectWith(moderator.token)).join()
  })
})

describe('a conference that is deleted', () => {
  test('ends for everybody, and its tokens lead nowhere, whoever has its name', async () => {
    const { conference, guest, delete: deleteConference } = await relay.addConference()
    const [member, waiting] = [await relay.connectWith(guest.token), await relay.connectWith(guest.token)]
    await member.join()
    await deleteConference()
    await member.vertoEvent('verto.bye')
    await relay.addRoom({ name: conference.name })
    expect(await refusal(guest.token)).toEqual(REFUSED)
    await expect(waiting.join()).rejects.toThrow(/"403"/)
  })
})
