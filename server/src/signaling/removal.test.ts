import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { newId } from '../ids.ts'
import { PERMISSIONS } from '../rooms/permissions.ts'
import { createRoomTokens } from '../rooms/room-tokens.ts'
import type { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'

let relay: RunningRelay
let roomNumber = 0

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

/** A room with a moderator in it. */
async function room() {
  const room_name = `removal-${++roomNumber}`
  const host = await relay.enter({ room_name, user_name: 'Host', permissions: PERMISSIONS })
  const remove = (member_id: string) =>
    host.request('video.member.remove', { room_session_id: host.call.sessionId, member_id })
  return { room_name, host, remove }
}

const stateOf = async (client: RelayClient) => {
  const of = (event: RelayClient['events'][number]) => event.type === 'signalwire.authorization.state'
  return client.events.findLast(of)?.params.authorization_state
}

async function enterWith(token: string) {
  const client = await relay.connectWith(token)
  return Object.assign(client, { call: await client.join() })
}

const REMOVED = /A moderator removed you from this session\. Ask for a new invitation/

describe('a removed member', () => {
  test('is told why with its next invite, its next connect, and when it resumes', async () => {
    const { room_name, remove } = await room()
    const token = await relay.token({ room_name })
    const guest = await enterWith(token)
    const { protocol } = guest.session
    const authorization_state = await stateOf(guest)
    await remove(guest.call.memberId)
    expect(await guest.vertoEvent('verto.bye')).toMatchObject({ params: { cause: 'MANAGER_REQUEST' } })

    const { result } = await guest.verto('verto.invite', { dialogParams: { callID: newId() }, sdp: 'v=0' })
    expect(result).toMatchObject({ code: '403', message: expect.stringMatching(REMOVED) })
    const renewal = { authentication: { jwt_token: token } }
    expect((await guest.request('signalwire.reauthenticate', renewal)).error).toMatchObject({
      code: -32002,
      message: expect.stringMatching(REMOVED),
    })
    const fresh = await relay.open()
    expect((await fresh.request('signalwire.connect', renewal)).error).toEqual({
      code: -32002,
      message: expect.stringMatching(REMOVED),
    })
    await expect(relay.connectWith(token, { protocol, authorization_state })).rejects.toThrow(REMOVED)

    // The customer who issued the first token may issue another one.
    const jwt_token = await relay.token({ room_name })
    const forgiven = await guest.request('signalwire.reauthenticate', { authentication: { jwt_token } })
    expect(forgiven.error).toBeUndefined()
    expect((await guest.join()).memberId).not.toBe(guest.call.memberId)
  })

  test('whose socket was away comes back to nothing', async () => {
    const { room_name, host, remove } = await room()
    const token = await relay.token({ room_name })
    const guest = await enterWith(token)
    const authorization_state = await stateOf(guest)
    guest.drop()
    await remove(guest.call.memberId)
    await host.event('video.member.left')
    const { protocol } = guest.session
    await expect(relay.connectWith(token, { protocol, authorization_state })).rejects.toThrow(REMOVED)
  })

  test('of a shared token is refused with its resume state; the others come and go', async () => {
    const { room_name, host, remove } = await room()
    const token = await relay.token({ room_name, user_name: null })
    const [guest, friend] = [await enterWith(token), await enterWith(token)]
    const resume = { protocol: guest.session.protocol, authorization_state: await stateOf(guest) }
    await remove(guest.call.memberId)
    await guest.vertoEvent('verto.bye')
    await expect(guest.join()).rejects.toThrow(/"403".*removed you/)
    guest.drop()
    await expect(relay.connectWith(token, resume)).rejects.toThrow(REMOVED)
    expect(friend.events.map(({ params }) => params.method)).not.toContain('verto.bye')
    const { memberId } = await (await relay.connectWith(token)).join()
    await host.event('video.member.joined', {
      right: ({ member }) => (member as { id: string }).id === memberId,
    })
  })

  test('of a conference is refused with its resume state; its token goes on', async () => {
    const { moderator, guest: token } = await relay.addConference()
    const host = await enterWith(moderator.token)
    const guest = await enterWith(token.token)
    const resume = { protocol: guest.session.protocol, authorization_state: await stateOf(guest) }
    const named = { room_session_id: host.call.sessionId, member_id: guest.call.memberId }
    await host.request('video.member.remove', named)
    await guest.vertoEvent('verto.bye')
    await expect(guest.join()).rejects.toThrow(/"403".*removed you/)
    // Presenting the same token again does not make it a new one.
    const renewal = { authentication: { jwt_token: token.token } }
    expect((await guest.request('signalwire.reauthenticate', renewal)).error?.message).toMatch(REMOVED)
    guest.drop()
    await expect(relay.connectWith(token.token, resume)).rejects.toThrow(REMOVED)
    expect((await enterWith(token.token)).call.sessionId).toBe(host.call.sessionId)
    const left = await host.event('video.member.left')
    expect(left).toMatchObject({ reason: 'removed' })
  })

  test('is everybody but who asked, when all are removed', async () => {
    const { room_name, host, remove } = await room()
    const guests = await Promise.all([1, 2].map(() => relay.token({ room_name })))
    for (const token of guests) await enterWith(token)
    expect((await remove('all')).result?.code).toBe('200')
    for (const token of guests) await expect(relay.connectWith(token)).rejects.toThrow(REMOVED)
    expect((await host.join()).sessionId).toBe(host.call.sessionId)
  })
})

describe('a revoked room token', () => {
  test('puts out who is in by it, at once, and lets nobody connect, resume or join', async () => {
    const { room_name, host } = await room()
    const tokens = createRoomTokens({
      storage: relay.storage,
      clock: systemClock,
      key: relay.tokenKey,
      sessions: relay.registry,
    })
    const token = await relay.token({ room_name })
    const [guest, waiting] = [await enterWith(token), await relay.connectWith(token)]
    await tokens.revoke(relay.projectId, { token }, { kind: 'server', name: 'server' })
    expect(await guest.vertoEvent('verto.bye')).toMatchObject({ params: { cause: 'CALL_REJECTED' } })
    expect(await host.event('video.member.left')).toMatchObject({ reason: 'token_revoked' })
    await expect(waiting.join()).rejects.toThrow(/"403".*revoked/)
    await expect(relay.connectWith(token)).rejects.toThrow(/The token was revoked\. Ask for a new one/)
    const { protocol } = guest.session
    await expect(relay.connectWith(token, { protocol })).rejects.toThrow(/revoked/)
    const renewal = { authentication: { jwt_token: token } }
    expect((await host.request('signalwire.reauthenticate', renewal)).error?.message).toMatch(/revoked/)
  })
})
