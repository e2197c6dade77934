import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { conferenceTokenKey, roomTokenKey } from '../token-key.ts'
import type { LiveSession } from './live-session.ts'
import { SessionBans } from './session-bans.ts'

let world: SessionWorld
/** A member with another token, who keeps the session open. */
let host: Witness
let session: LiveSession

const ROOM = 'standup'

beforeEach(async () => {
  world = await SessionWorld.open()
  host = new Witness('Host')
  session = (await world.join(host, { room_name: ROOM })).session
})
afterEach(() => world.close())

/** Joins. Default: in a new client session. */
const come = (id: string, { witness = new Witness('Guest'), ...grant }: Come = {}) =>
  world.join(witness, { id, room_name: ROOM, ...grant }).then((joined) => ({ ...joined, witness }))
type Come = Partial<RoomTokenGrant> & { witness?: Witness }

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof Refusal) return `${error.code}: ${error.message}`
      throw error
    },
  )
const REMOVED = /^not_permitted: A moderator removed you from this session\./

describe('a removed member', () => {
  test('is refused with its token, by the same client and by a new one', async () => {
    const id = newId()
    const { member, witness } = await come(id)
    session.departures.expel(member)
    expect(witness.ended).toMatchObject([{ cause: 'removed' }])
    expect(await refusal(come(id, { witness }))).toMatch(REMOVED)
    expect(await refusal(come(id))).toMatch(REMOVED)
    const client = { clientId: newId(), browserId: null }
    const grant = world.grant({ id, room_name: ROOM })
    expect(await refusal(world.registry.admit(grant, client))).toMatch(REMOVED)
    expect(session.members).toHaveLength(1)
  })

  test('came again before it was removed: that was nobody else', async () => {
    const id = newId()
    const first = await come(id)
    session.departures.hangUp(first.legId)
    const second = await come(id)
    second.witness.connected = false
    session.presence.lost(second.witness)
    // The page was lost with the socket. The user opens another one.
    const third = await come(id)
    session.departures.expel(third.member)
    expect(await refusal(come(id))).toMatch(REMOVED)
  })

  test('of a shared token is refused by its client alone', async () => {
    const id = newId()
    const [one, other] = [await come(id), await come(id)]
    session.departures.expel(one.member)
    expect(await refusal(come(id, { witness: one.witness }))).toMatch(REMOVED)
    session.departures.hangUp(other.legId)
    expect(await refusal(come(id, { witness: other.witness }))).toBe('none')
    expect(await refusal(come(id))).toBe('none')
  })

  test('of a shared token is refused in all tabs of its browser', async () => {
    const id = newId()
    const browser = (browserId: string) => ({ witness: new Witness('Guest', { browserId }) })
    const one = await come(id, browser('one'))
    session.departures.hangUp(one.legId)
    const other = await come(id, browser('other'))
    session.departures.expel(other.member)
    expect(await refusal(come(id, browser('other')))).toMatch(REMOVED)
    expect(await refusal(come(id, browser('one')))).toBe('none')
  })

  test('with two tabs of one browser is one person', async () => {
    const id = newId()
    const tab = () => ({ witness: new Witness('Guest', { browserId: 'one' }) })
    const [first] = [await come(id, tab()), await come(id, tab())]
    session.departures.expel(first.member)
    expect(await refusal(come(id))).toMatch(REMOVED)
  })

  test('was the last of those who shared a token: it is refused as a whole', async () => {
    const id = newId()
    const [one, other] = [await come(id), await come(id)]
    session.departures.expel(one.member)
    expect(await refusal(world.registry.admit(world.grant({ id, room_name: ROOM }), host.identity))).toBe(
      'none',
    )
    session.departures.expel(other.member)
    expect(await refusal(come(id))).toMatch(REMOVED)
  })

  test('is refused with every token that it had', async () => {
    const [first, second] = [newId(), newId()]
    const { member } = await come(first)
    session.renewTerms(member, world.grant({ id: second, room_name: ROOM }))
    session.departures.expel(member)
    expect(await refusal(come(first))).toMatch(REMOVED)
    expect(await refusal(come(second))).toMatch(REMOVED)
  })

  test('may come with a token that was made for it anew', async () => {
    const { member, witness } = await come(newId())
    session.departures.expel(member)
    expect(await refusal(come(newId(), { witness }))).toBe('none')
  })

  test('while its socket was away is not let back to its call', async () => {
    const id = newId()
    const { member, witness, legId } = await come(id)
    witness.connected = false
    session.presence.lost(witness)
    session.departures.expel(member)
    await expect(session.renegotiate(legId, 'offer')).rejects.toThrow(/no such call/)
    witness.connected = true
    session.presence.back(witness, 0)
    expect(session.everybody()).toHaveLength(1)
    expect(await refusal(come(id, { witness }))).toMatch(REMOVED)
  })

  test('of the audience is out as well', async () => {
    const id = newId()
    const { member } = await come(id, { join_as: 'audience' })
    session.departures.expel(member)
    expect(await refusal(come(id, { join_as: 'audience' }))).toMatch(REMOVED)
  })

  test('on the way in with another socket does not arrive', async () => {
    const id = newId()
    const { member } = await come(id)
    world.media.holdsNegotiations = true
    const late = refusal(come(id))
    await world.settled()
    session.departures.expel(member)
    for (const negotiation of [...world.media.negotiations]) negotiation.succeed()
    expect(await late).toMatch(REMOVED)
    expect(session.everybody()).toHaveLength(1)
    expect(world.media.roomOf(session.id)?.members.size).toBe(1)
  })

  test('may come to the next session', async () => {
    const id = newId()
    const { member } = await come(id)
    session.departures.expel(member)
    for (const one of session.members) session.departures.leave(one, 'session_ended')
    await world.clock.advance(GRACE.sessionGraceMs)
    expect(session.isEnded).toBe(true)
    const next = await come(id)
    expect(next.session).not.toBe(session)
  })
})

test('whoever hangs up, or is gone for too long, may come again', async () => {
  const id = newId()
  const { legId } = await come(id)
  session.departures.hangUp(legId)
  const { witness } = await come(id)
  witness.connected = false
  session.presence.lost(witness)
  await world.clock.advance(GRACE.reconnectGraceMs)
  expect(session.members).toHaveLength(1)
  expect(await refusal(come(id))).toBe('none')
})

test('a screen share that is removed takes nobody with it, and may be shared again', async () => {
  const id = newId()
  const { member, witness } = await come(id)
  const share = () =>
    session.joins.addChild({
      parent: member,
      type: 'screen',
      legId: newId(),
      offer: 'offer',
      onAnswered: () => {},
    })
  session.departures.expel(await share())
  expect(session.member(member.id)).toBe(member)
  expect(witness.ended).toMatchObject([{ cause: 'removed' }])
  expect((await share()).type).toBe('screen')
  session.departures.hangUp(witness.ended[0]?.legId ?? '')
  expect(await refusal(come(id))).toBe('none')
})

describe('moderators', () => {
  test('are told that a departure was a removal, others are not, and the history says it', async () => {
    const plain = (await come(newId(), { permissions: [] })).witness
    const { member } = await come(newId())
    session.departures.expel(member)
    const left = (witness: Witness) => witness.events.findLast(({ type }) => type === 'member_left')
    expect(left(host)).toMatchObject({ reason: 'removed' })
    expect(left(plain)).not.toHaveProperty('reason')
    await world.settled()
    const { events } = await world.history(session)
    expect(events.at(-1)).toMatchObject({ name: 'member.left', payload: { reason: 'removed' } })
  })
})

describe('a token that is void', () => {
  test('puts out who is in by it, and lets nobody in', async () => {
    const id = newId()
    const { witness } = await come(id)
    const other = await come(newId())
    await world.registry.voidToken(world.projectId, roomTokenKey(id), 'token_revoked')
    expect(witness.ended).toMatchObject([{ cause: 'token_revoked' }])
    expect(other.witness.ended).toEqual([])
    expect(host.events.findLast(({ type }) => type === 'member_left')).toMatchObject({
      reason: 'token_revoked',
    })
    expect(await refusal(come(id))).toMatch(/^not_permitted: The token was revoked/)
  })

  test('of another project is another token', async () => {
    const id = newId()
    await come(id)
    await world.registry.voidToken(newId(), roomTokenKey(id), 'token_revoked')
    expect(session.members).toHaveLength(2)
  })

  test('does not let in who was on the way', async () => {
    const id = newId()
    world.media.holdsNegotiations = true
    const late = refusal(come(id))
    await world.settled()
    await world.registry.voidToken(world.projectId, roomTokenKey(id), 'token_revoked')
    for (const negotiation of [...world.media.negotiations]) negotiation.succeed()
    expect(await late).toMatch(/revoked/)
  })

  test('leaves alone who has changed to another one', async () => {
    const id = newId()
    const { member } = await come(id)
    session.renewTerms(member, world.grant({ id: newId(), room_name: ROOM }))
    await world.registry.voidToken(world.projectId, roomTokenKey(id), 'token_revoked')
    expect(session.member(member.id)).toBe(member)
  })

  test('by another process puts out within two seconds', async () => {
    const id = newId()
    const { witness } = await come(id)
    const revoked = { token_id: id, expires_at: world.clock.now() + 1000, created_at: world.clock.now() }
    const other = newId()
    await world.storage.projects.insert({ id: other, name: 'other', created_at: 1 })
    await world.storage.revokedRoomTokens.insert({ ...revoked, project_id: other })
    await world.clock.advance(4000)
    expect(witness.ended).toEqual([])
    await world.storage.revokedRoomTokens.insert({ ...revoked, project_id: world.projectId })
    await world.clock.advance(2000)
    expect(witness.ended).toMatchObject([{ cause: 'token_revoked' }])
    expect(await refusal(come(id))).toMatch(/revoked/)
    // The token is also refused in the next session, and after a restart.
    await world.registry.stop()
    world.registry = world.newRegistry()
    await world.registry.recover()
    expect(await refusal(come(id))).toMatch(/revoked/)
  })
})

describe('a limit of seats for each token', () => {
  const FULL = /^seats_taken: This token lets in/
  beforeEach(async () => {
    await world.registry.stop()
    world.seatsPerToken = 2
    world.registry = world.newRegistry()
    await world.registry.recover()
    session = (await world.join(host, { room_name: ROOM })).session
  })

  test('counts members and audience, those on the way too, and each token by itself', async () => {
    const id = newId()
    world.media.holdsNegotiations = true
    const joins = [come(id), come(id, { join_as: 'audience' }), come(id)].map(refusal)
    const other = refusal(come(newId()))
    await world.settled()
    for (const negotiation of [...world.media.negotiations]) negotiation.succeed()
    expect(await Promise.all(joins)).toEqual(['none', 'none', expect.stringMatching(FULL)])
    expect(await other).toBe('none')
    world.media.holdsNegotiations = false
    const [leaving] = session.members.filter(({ token }) => token === roomTokenKey(id))
    if (leaving) session.departures.leave(leaving, 'session_ended')
    expect(await refusal(come(id))).toBe('none')
    expect(await refusal(come(id))).toMatch(FULL)
  })

  test('does not count screen shares', async () => {
    const id = newId()
    const { member } = await come(id)
    await session.joins.addChild({
      parent: member,
      type: 'screen',
      legId: 'x',
      offer: 'o',
      onAnswered: () => {},
    })
    expect(await refusal(come(id))).toBe('none')
  })

  test('gives up a seat whose socket is away', async () => {
    const id = newId()
    const [one, other] = [await come(id), await come(id)]
    one.witness.connected = false
    session.presence.lost(one.witness)
    expect(await refusal(come(id))).toBe('none')
    expect(one.witness.ended).toMatchObject([{ cause: 'replaced' }])
    expect(other.witness.ended).toEqual([])
    expect(await refusal(come(id))).toMatch(FULL)
  })

  test('holds for those who change to the token', async () => {
    const id = newId()
    await come(id)
    await come(id)
    const { member } = await come(newId())
    const grant = world.grant({ id, room_name: ROOM })
    expect(() => session.tokens.checkRenewal(member, grant)).toThrow(/lets in 2 people/)
  })
})

describe('the memory of a session', () => {
  const client = (name: string) => new Witness(name, { clientId: name })

  test('is bounded: the oldest removals are forgotten first', () => {
    const bans = new SessionBans()
    const removed = (index: number) => bans.clientRemoved(client(`${index}`), [roomTokenKey(`${index}`)])
    for (let index = 0; index < 10_001; index++) removed(index)
    const isBanned = (index: number) => {
      try {
        bans.check(roomTokenKey(`${index}`), { clientId: 'x', browserId: null })
        return false
      } catch {
        return true
      }
    }
    expect([0, 1, 10_000].map(isBanned)).toEqual([false, true, true])
  })

  test('never bans a conference token for all', () => {
    const bans = new SessionBans()
    const [token, guest] = [conferenceTokenKey('hash'), client('guest')]
    bans.noteUse(token, guest, [])
    bans.clientRemoved(guest, [token])
    expect(() => bans.check(token, guest.identity)).toThrow(/removed you/)
    expect(() => bans.check(token, { clientId: 'other', browserId: null })).not.toThrow()
  })

  test('know a person again by client and browser, never by a token that is made to be shared', () => {
    const bans = new SessionBans()
    const token = conferenceTokenKey('hash')
    const ada = new Witness('Ada', { browserId: 'ada' })
    const bob = new Witness('Bob')
    bans.noteUse(token, ada, [])
    bans.noteUse(token, bob, [ada])
    const wasIn = (browserId: string | null) => bans.wasIn(token, new Witness('X', { browserId }), [])
    expect(bans.wasIn(token, bob, [])).toBe(true)
    expect(['ada', 'eve', null].map(wasIn)).toEqual([true, false, false])
  })
})
