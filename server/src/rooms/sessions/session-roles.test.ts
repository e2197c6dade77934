import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import { grantedPermissions, type Permission } from '../permissions.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import type { LiveSession } from './live-session.ts'
import type { Member } from './member.ts'
import type { Promotion } from './session-roles.ts'

const TIME_TO_FOLLOW_MS = 30_000

let world: SessionWorld

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

const refusal = (work: () => unknown): ErrorCode | 'none' => {
  try {
    work()
    return 'none'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

const promotion = (fields: Partial<Promotion> = {}): Promotion => ({
  permissions: grantedPermissions(['room.set_layout']),
  mediaAllowed: 'all',
  audioMuted: false,
  videoMuted: false,
  meta: null,
  ...fields,
})

interface Seat {
  witness: Witness
  session: LiveSession
  member: Member
  legId: string
}

async function enter(name: string, grant: Partial<RoomTokenGrant> = {}): Promise<Seat> {
  const witness = new Witness(name)
  return { witness, ...(await world.join(witness, { room_name: 'stage', ...grant })) }
}

const viewer = (name: string, grant: Partial<RoomTokenGrant> = {}) =>
  enter(name, { join_as: 'audience', ...grant })

function promote({ session, member }: Seat, by: Member, fields: Partial<Promotion> = {}): void {
  session.roles.promote(member, promotion(fields), by.id)
  session.roles.tell(member)
}

function demote({ session, member }: Seat, by: Member): void {
  session.roles.demote(member, 'all', by.id)
  session.roles.tell(member)
}

/** The client joins again with a new leg, as its page does when it was told. */
async function follow(seat: Seat, offer = 'new offer'): Promise<void> {
  const legId = newId()
  await seat.session.roles.follow({
    member: seat.member,
    legId,
    offer,
    onAnswered: () => {
      seat.witness.events.length = 0
      seat.legId = legId
    },
  })
  await world.settled()
}

const legsOf = ({ session, member }: Seat) =>
  [...(world.media.roomOf(session.id)?.legs.values() ?? [])].filter(({ memberId }) => memberId === member.id)
const waysOf = (seat: Seat) =>
  legsOf(seat).map((leg) => [leg.maySendAudio, leg.maySendVideo, leg.mayReceiveAudio, leg.mayReceiveVideo])
const permissionsOf = ({ member }: Seat): Permission[] => [...member.terms.permissions]
/** The roles that a client was told, in order. */
const told = ({ witness }: Seat) =>
  witness.events.flatMap((event) =>
    event.type === 'member_promoted' || event.type === 'member_demoted' ? [event.type] : [],
  )
const tiles = ({ session }: Seat) => world.media.roomOf(session.id)?.tiles.map(({ memberId }) => memberId)

describe('a promotion', () => {
  test('is told to its target alone, who joins again with the same id and is announced to all', async () => {
    const host = await enter('Host')
    const [fan, other] = [await viewer('Fan'), await viewer('Other')]
    const before = fan.legId
    await world.clock.advance(2000)
    for (const { witness } of [host, fan, other]) witness.events.length = 0
    promote(fan, host.member, { audioMuted: true, meta: { team: 'red' } })
    expect([host, fan, other].map(({ witness }) => witness.types)).toEqual([[], ['member_promoted'], []])
    expect(fan.member).toMatchObject({ type: 'audience', meta: {} })
    expect(waysOf(fan)).toEqual([[false, false, true, true]])

    await follow(fan)
    expect(fan.member).toMatchObject({
      type: 'member',
      audioMuted: true,
      videoMuted: false,
      meta: { team: 'red' },
    })
    expect(permissionsOf(fan)).toEqual(['room.set_layout'])
    expect(waysOf(fan)).toEqual([[true, true, true, true]])
    expect(world.media.roomOf(fan.session.id)?.members.get(fan.member.id)?.audioMuted).toBe(true)
    expect(tiles(host)).toEqual([host.member.id, fan.member.id])
    await world.clock.advance(2000)
    const announced = ['member_joined', 'layout_changed', 'audience_count']
    expect(fan.witness.types).toEqual(['subscribed', 'member_updated', 'member_updated', ...announced])
    expect(fan.witness.events[0]).toMatchObject({ legId: fan.legId, member: { id: fan.member.id } })
    for (const { witness } of [host, other]) {
      expect(witness.types.filter((type) => announced.includes(type)).slice(-3)).toEqual(announced)
      expect(witness.events.at(-1)).toMatchObject({ total: 1 })
    }
    // Its client hangs up the old leg now, which is not a leaving.
    fan.session.departures.hangUp(before)
    expect(fan.session.member(fan.member.id)).toBe(fan.member)
    expect(fan.witness.ended).toEqual([])
  })

  test('puts the newcomer behind those who were members before', async () => {
    const fan = await viewer('Fan')
    const host = await enter('Host')
    promote(fan, host.member)
    await follow(fan)
    expect(tiles(host)).toEqual([host.member.id, fan.member.id])
  })

  test.each([
    ['audio-only', [true, false, true, true]],
    ['video-only', [false, true, true, true]],
  ] as const)('with %s limits what it sends, not what it receives', async (mediaAllowed, ways) => {
    const host = await enter('Host')
    const fan = await viewer('Fan', { media_allowed: 'audio-only' })
    promote(fan, host.member, { mediaAllowed })
    await follow(fan)
    expect(waysOf(fan)).toEqual([ways])
  })

  test('begins with the video off where the room says so', async () => {
    await world.addRoom({ name: 'stage', room_join_video_off: true })
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    await follow(fan)
    expect(fan.member).toMatchObject({ videoMuted: true, audioMuted: false })
  })

  test('stands in the history, with one record of the person from join to leave', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    await world.clock.advance(10_000)
    promote(fan, host.member)
    await follow(fan)
    const during = await world.history(host.session)
    const stored = during.members.filter(({ id }) => id === fan.member.id)
    expect(stored).toMatchObject([{ type: 'member', join_time: fan.member.joinedAt, leave_time: null }])
    demote(fan, host.member)
    await follow(fan)
    fan.session.departures.hangUp(fan.legId)
    await world.settled()
    const { members, events } = await world.history(host.session)
    expect(members.find(({ id }) => id === fan.member.id)).toMatchObject({ type: 'audience' })
    const ofFan = events.filter(({ room_participant_id }) => room_participant_id === fan.member.id)
    expect(ofFan.map(({ name }) => name)).toEqual([
      'member.joined',
      'member.promoted',
      'member.demoted',
      'member.left',
    ])
    expect(ofFan[1]?.payload).toEqual({
      member_id: fan.member.id,
      name: 'Fan',
      type: 'member',
      parent_id: null,
      by: host.member.id,
      permissions: ['room.set_layout'],
      media_allowed: 'all',
    })
    expect(ofFan[3]?.payload).toMatchObject({ duration_ms: 10_000 })
    expect([...fan.session.openRecords.calls.keys()]).toEqual([host.legId])
  })

  test('is refused for a member, a screen share, and somebody who is being promoted or demoted', async () => {
    const host = await enter('Host')
    const [fan, guest] = [await viewer('Fan'), await enter('Guest')]
    const screen = await guest.session.joins.addChild({
      parent: guest.member,
      type: 'screen',
      legId: newId(),
      offer: 'offer',
      onAnswered: () => {},
    })
    const { roles } = host.session
    for (const member of [guest.member, screen]) {
      expect(refusal(() => roles.promote(member, promotion(), host.member.id))).toBe('invalid_state')
    }
    for (const member of [fan.member, screen]) {
      expect(refusal(() => roles.demote(member, 'all', host.member.id))).toBe('invalid_state')
    }
    promote(fan, host.member)
    demote(guest, host.member)
    for (const member of [fan.member, guest.member]) {
      expect(refusal(() => roles.promote(member, promotion(), host.member.id))).toBe('invalid_state')
      expect(refusal(() => roles.demote(member, 'all', host.member.id))).toBe('invalid_state')
    }
  })
})

describe('a demotion', () => {
  test('takes the permissions at once, and picture, sound and shares when the client has followed', async () => {
    const host = await enter('Host')
    const guest = await enter('Guest')
    const screenLeg = newId()
    const addChild = (legId: string) =>
      guest.session.joins.addChild({
        parent: guest.member,
        type: 'screen',
        legId,
        offer: 'offer',
        onAnswered: () => {},
      })
    const screen = await addChild(screenLeg)
    for (const { witness } of [host, guest]) witness.events.length = 0
    demote(guest, host.member)
    expect(permissionsOf(guest)).toEqual([])
    expect([host.witness.types, guest.witness.types]).toEqual([[], ['member_demoted']])
    expect(waysOf(guest)).toEqual([[true, true, true, true]])

    await follow(guest)
    expect(guest.member).toMatchObject({ type: 'audience', talking: false })
    expect(waysOf(guest)).toEqual([[false, false, true, true]])
    expect(guest.witness.ended).toEqual([{ legId: screenLeg, cause: 'parent_left' }])
    expect(tiles(host)).toEqual([host.member.id])
    const [hostWasTold, guestWasTold] = [host, guest].map(({ witness }) =>
      witness.events.flatMap((event) => (event.type === 'member_left' ? [event.member.id] : [])),
    )
    expect(hostWasTold).toEqual([screen.id, guest.member.id])
    expect(guestWasTold).toEqual([screen.id])
    expect(host.witness.known).toEqual(new Set([host.member.id]))
    expect(guest.witness.known).toEqual(new Set([host.member.id]))
    expect(guest.witness.types.slice(-2)).toEqual(['layout_changed', 'audience_count'])
    expect(guest.session.member(guest.member.id)).toBe(guest.member)
  })

  test('limits what the viewer receives', async () => {
    const host = await enter('Host')
    const guest = await enter('Guest')
    guest.session.roles.demote(guest.member, 'audio-only', host.member.id)
    guest.session.roles.tell(guest.member)
    await follow(guest)
    expect(waysOf(guest)).toEqual([[false, false, true, false]])
  })

  test('does not end a session that ends when its host leaves', async () => {
    const guest = await enter('Guest', { end_room_session_on_leave: true })
    demote(guest, guest.member)
    await follow(guest)
    expect(guest.session.isEnded).toBe(false)
    guest.session.departures.hangUp(guest.legId)
    expect(guest.session.isEnded).toBe(true)
  })
})

describe('a client that does not follow', () => {
  test('within 30 s stays in the audience, and is told; then it can be promoted again', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    // The time is that of a steady clock.
    world.clock.jump(-3_600_000)
    await world.clock.advance(TIME_TO_FOLLOW_MS - 1)
    expect(told(fan)).toEqual(['member_promoted'])
    await world.clock.advance(1)
    expect(told(fan)).toEqual(['member_promoted', 'member_demoted'])
    expect(fan.member.type).toBe('audience')
    expect(waysOf(fan)).toEqual([[false, false, true, true]])
    promote(fan, host.member)
    await follow(fan)
    expect(fan.member.type).toBe('member')
  })

  test('within 30 s stays a member, and has its permissions again', async () => {
    const host = await enter('Host')
    const guest = await enter('Guest', { permissions: ['room.lock'] })
    demote(guest, host.member)
    await world.clock.advance(TIME_TO_FOLLOW_MS)
    expect(told(guest)).toEqual(['member_demoted', 'member_promoted'])
    expect([guest.member.type, permissionsOf(guest)]).toEqual(['member', ['room.lock']])
  })

  test('gets the terms of a token that it renewed meanwhile', async () => {
    const host = await enter('Host')
    const guest = await enter('Guest', { permissions: ['room.lock'] })
    demote(guest, host.member)
    const grant = world.grant({ room_name: 'stage', permissions: ['room.unlock'] })
    guest.session.renewTerms(guest.member, grant)
    expect(permissionsOf(guest)).toEqual([])
    await world.clock.advance(TIME_TO_FOLLOW_MS)
    expect(permissionsOf(guest)).toEqual(['room.unlock'])
  })

  test('in time but does so later gets a leg for what it is, and sends nothing', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    await world.clock.advance(TIME_TO_FOLLOW_MS)
    host.witness.events.length = 0
    await follow(fan)
    expect(waysOf(fan)).toEqual([[false, false, true, true]])
    expect(fan.witness.types).toEqual(['subscribed', 'member_updated', 'layout_changed'])
    expect(host.witness.events).toEqual([])
  })

  test('because its offer cannot be answered stays what it is, on its old leg', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    const failed = follow(fan, 'garbage').then(
      () => 'answered',
      (error: unknown) => (error as Refusal).code,
    )
    expect(await failed).toBe('media_failed')
    expect(told(fan)).toEqual(['member_promoted', 'member_demoted'])
    expect(legsOf(fan).map(({ legId }) => legId)).toEqual([fan.legId])
    expect(fan.session.member(fan.member.id)?.type).toBe('audience')
    await world.clock.advance(TIME_TO_FOLLOW_MS)
    expect(told(fan)).toHaveLength(2)
  })

  test('is not overtaken by the time limit while its offer is being answered', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    await world.clock.advance(TIME_TO_FOLLOW_MS - 1000)
    world.media.holdsNegotiations = true
    const following = follow(fan)
    await world.clock.advance(2000)
    expect(told(fan)).toEqual(['member_promoted'])
    world.media.negotiations[0]?.succeed()
    await following
    expect([fan.member.type, waysOf(fan)]).toEqual(['member', [[true, true, true, true]]])
  })
})

describe('seats', () => {
  test('a promotion needs a seat, and holds it until it is over', async () => {
    await world.addRoom({ name: 'stage', max_members: 2 })
    const host = await enter('Host')
    const [fan, other] = [await viewer('Fan'), await viewer('Other')]
    promote(fan, host.member)
    const { roles } = host.session
    expect(refusal(() => roles.promote(other.member, promotion(), host.member.id))).toBe('seats_taken')
    await expect(enter('Late')).rejects.toMatchObject({ code: 'seats_taken' })
    expect(told(other)).toEqual([])
    await world.clock.advance(TIME_TO_FOLLOW_MS)
    promote(other, host.member)
    await follow(other)
    await expect(enter('Late')).rejects.toMatchObject({ code: 'seats_taken' })
    expect(refusal(() => roles.promote(fan.member, promotion(), host.member.id))).toBe('seats_taken')
    other.session.departures.hangUp(other.legId)
    await enter('Late')
  })

  test('the seat in the audience is free after the promotion, not before', async () => {
    const host = await enter('Host')
    const fans = [await viewer('A'), await viewer('B'), await viewer('C')]
    promote(fans[0] as Seat, host.member)
    await expect(viewer('D')).rejects.toMatchObject({ code: 'seats_taken' })
    await follow(fans[0] as Seat)
    await viewer('D')
  })

  test('a demotion needs a seat in the audience, and keeps that of the member until it is over', async () => {
    await world.addRoom({ name: 'stage', max_members: 2 })
    const [host, guest] = [await enter('Host'), await enter('Guest')]
    const fans = [await viewer('A'), await viewer('B'), await viewer('C')]
    const demoted = () => guest.session.roles.demote(guest.member, 'all', host.member.id)
    expect(refusal(demoted)).toBe('seats_taken')
    expect(permissionsOf(guest)).not.toEqual([])
    fans[0]?.session.departures.hangUp(fans[0].legId)
    demoted()
    await expect(enter('Late')).rejects.toMatchObject({ code: 'seats_taken' })
    await expect(viewer('D')).rejects.toMatchObject({ code: 'seats_taken' })
    await follow(guest)
    await enter('Late')
  })

  test('a token with one seat fills one, before, during and after', async () => {
    world.seatsPerToken = 1
    world.registry = world.newRegistry()
    const host = await enter('Host')
    const fan = await viewer('Fan', { id: 'token-of-fan' })
    const again = () => viewer('Again', { id: 'token-of-fan' })
    promote(fan, host.member)
    await expect(again()).rejects.toMatchObject({ code: 'seats_taken' })
    await follow(fan)
    await expect(again()).rejects.toMatchObject({ code: 'seats_taken' })
    fan.session.departures.hangUp(fan.legId)
    await again()
  })

  test('are free again when a target leaves, is removed, or loses its connection in between', async () => {
    await world.addRoom({ name: 'stage', max_members: 2 })
    const host = await enter('Host')
    for (const end of ['hang up', 'removal', 'drop']) {
      const fan = await viewer('Fan')
      promote(fan, host.member)
      if (end === 'hang up') fan.session.departures.hangUp(fan.legId)
      else if (end === 'removal') fan.session.departures.expel(fan.member)
      else {
        fan.witness.connected = false
        fan.session.presence.lost(fan.witness)
        await world.clock.advance(GRACE.reconnectGraceMs)
      }
      const guest = await enter('Guest')
      await world.clock.advance(TIME_TO_FOLLOW_MS)
      expect(fan.session.everybody(), end).toEqual([host.member, guest.member])
      guest.session.departures.hangUp(guest.legId)
    }
  })
})

describe('meanwhile', () => {
  test('the moderator may leave: the promotion goes on', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    host.session.departures.hangUp(host.legId)
    await follow(fan)
    expect(fan.member.type).toBe('member')
  })

  test('the session may end, and nothing is left', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    demote(host, host.member)
    await host.session.end('room_deleted')
    await world.registry.stop()
    expect(world.clock.pendingCount).toBe(0)
    await expect(follow(fan)).rejects.toMatchObject({ code: 'session_ended' })
  })

  test('the target may leave while its new offer is being answered', async () => {
    const host = await enter('Host')
    const fan = await viewer('Fan')
    promote(fan, host.member)
    world.media.holdsNegotiations = true
    const following = follow(fan).then(
      () => 'answered',
      (error: unknown) => (error as Refusal).code,
    )
    await world.settled()
    // The bye of the old leg before the answer to the new one.
    fan.session.departures.hangUp(fan.legId)
    expect(fan.session.everybody()).toEqual([host.member])
    world.media.negotiations[0]?.succeed()
    expect(await following).toBe('media_failed')
    await world.settled()
    expect(legsOf(fan)).toEqual([])
  })
})

test('a decision of a moderator outlives the renewal of a token', async () => {
  const host = await enter('Host')
  const [fan, guest] = [await viewer('Fan'), await enter('Guest')]
  promote(fan, host.member)
  demote(guest, host.member)
  for (const seat of [fan, guest]) await follow(seat)
  for (const [seat, join_as] of [
    [fan, 'audience'],
    [guest, 'member'],
  ] as const) {
    seat.session.renewTerms(seat.member, world.grant({ room_name: 'stage', join_as }))
  }
  expect([fan.member.type, permissionsOf(fan)]).toEqual(['member', ['room.set_layout']])
  expect([guest.member.type, permissionsOf(guest)]).toEqual(['audience', []])
})
