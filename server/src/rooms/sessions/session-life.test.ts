import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'
import type { SessionEvent } from './participant.ts'

let world: SessionWorld

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

const refusal = (promise: Promise<unknown>): Promise<ErrorCode | 'none'> =>
  promise.then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )

const eventNames = (events: readonly { name: string }[]) => events.map(({ name }) => name)

describe('a join', () => {
  test('answers before any event, then says who is there, who came, and the layout', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const first = await world.join(ada, { room_name: 'standup' })
    expect(first.answers).toEqual(['answer to offer'])
    expect(ada.types).toEqual(['subscribed', 'member_updated', 'member_joined', 'layout_changed'])
    ada.events.length = 0
    const second = await world.join(bob, { room_name: 'standup' })
    expect(second.session).toBe(first.session)
    expect(bob.types).toEqual([
      'subscribed',
      'member_updated',
      'member_updated',
      'member_joined',
      'layout_changed',
    ])
    expect(ada.types).toEqual(['member_joined', 'layout_changed'])
    const mediaRoom = world.media.roomOf(first.session.id)
    expect(mediaRoom?.tiles.map((tile) => tile.memberId)).toEqual([first.member.id, second.member.id])
  })

  test('makes the room unless the token forbids it, and the session as the room says', async () => {
    const ada = new Witness('Ada')
    expect(await refusal(world.join(ada, { room_name: 'new', auto_create_room: false }))).toBe('room_missing')
    expect(world.registry.sessions).toEqual([])
    const grant = { room_name: 'new', room_display_name: 'New room', room_meta: { a: 1 } }
    const { session } = await world.join(ada, grant)
    const room = await world.storage.rooms.findByName(world.projectId, 'new')
    expect(room).toMatchObject({ display_name: 'New room', meta: { a: 1 }, max_members: 20, fps: 20 })
    const { record } = await world.history(session)
    expect(record).toMatchObject({ room_id: room?.id, status: 'in-progress', name: 'new', end_time: null })
  })

  test('counts from the seat, however long the offer took: never from before the session', async () => {
    world.media.holdsNegotiations = true
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const grant = { room_name: 'slow', remove_after_seconds_elapsed: 5 }
    const joins = [ada, bob].map((witness) => world.join(witness, grant, { legId: witness.name }))
    for (const legId of ['Bob', 'Ada']) {
      await world.clock.advance(2000)
      world.media.negotiations.find((negotiation) => negotiation.legId === legId)?.succeed()
      await world.settled()
    }
    const [joined] = await Promise.all(joins)
    const { record, members } = await world.history(joined?.session as LiveSession)
    const startedAt = record?.start_time ?? 0
    expect(members.map(({ name, join_time }) => [name, join_time - startedAt])).toEqual([
      ['Bob', 0],
      ['Ada', 2000],
    ])
    await world.clock.advance(4999)
    expect([ada, bob].map(({ ended }) => ended.length)).toEqual([0, 1])
    await world.clock.advance(1)
    expect(ada.ended).toMatchObject([{ cause: 'time_over' }])
  })

  test('of two at once makes one room and one session', async () => {
    const joins = ['Ada', 'Bob', 'Cyd'].map((name) => world.join(new Witness(name), { room_name: 'race' }))
    const sessions = new Set((await Promise.all(joins)).map(({ session }) => session))
    expect(sessions.size).toBe(1)
    expect(world.media.rooms.size).toBe(1)
  })

  test('takes the join-muted flags from token and room', async () => {
    await world.addRoom({ name: 'dark', room_join_video_off: true })
    const quiet = await world.join(new Witness('Ada'), { room_name: 'dark', join_audio_muted: true })
    expect(quiet.member).toMatchObject({ audioMuted: true, videoMuted: true, visible: false })
    expect(world.media.roomOf(quiet.session.id)?.members.get(quiet.member.id)).toMatchObject({
      audioMuted: true,
      videoMuted: true,
    })
    const open = await world.join(new Witness('Bob'), { room_name: 'light', join_video_muted: true })
    expect(open.member).toMatchObject({ audioMuted: false, videoMuted: true })
    await world.addRoom({ name: 'by the user', user_join_video_off: true })
    const { member } = await world.join(new Witness('Cyd'), { room_name: 'by the user' })
    expect(member).toMatchObject({ audioMuted: false, videoMuted: true })
  })

  test('gives the media the quality, the frame rate, the tones and the labels of the room', async () => {
    const opened = vi.spyOn(world.media, 'createRoom')
    await world.addRoom({ name: 'plain' })
    await world.join(new Witness('Ada'), { room_name: 'plain' })
    const settings = { quality: '1080p', fps: 30, tone_on_entry_and_exit: true, name_labels: true } as const
    await world.addRoom({ name: 'fine', layout: '2x2', ...settings })
    const { session } = await world.join(new Witness('Bob'), { room_name: 'fine' })
    const [[plain], [fine]] = opened.mock.calls as [[object], [object]]
    expect(plain).toMatchObject({ toneOnEntryAndExit: false, nameLabels: false })
    expect(fine).toMatchObject({ quality: '1080p', fps: 30, toneOnEntryAndExit: true, nameLabels: true })
    expect(session.layoutName).toBe('2x2')
  })

  test.each([
    ['all', 'member', [true, true, true, true]],
    ['audio-only', 'member', [true, false, true, false]],
    ['video-only', 'member', [false, true, false, true]],
    ['all', 'audience', [false, false, true, true]],
    ['audio-only', 'audience', [false, false, true, false]],
  ] as const)('with %s as %s lets media go the right ways', async (media_allowed, join_as, ways) => {
    const { session, legId } = await world.join(new Witness('Ada'), {
      room_name: 'r',
      media_allowed,
      join_as,
    })
    const leg = world.media.roomOf(session.id)?.legs.get(legId)
    expect([leg?.maySendAudio, leg?.maySendVideo, leg?.mayReceiveAudio, leg?.mayReceiveVideo]).toEqual(ways)
  })

  test.each([
    ['too_early', { join_from: 1000 }, {}],
    ['too_early', {}, { join_from: 1000 }],
    ['too_late', { join_until: 0 }, {}],
    ['too_late', {}, { join_until: 0 }],
    ['too_late', { join_until: 5000 }, { join_until: -1 }],
    ['too_early', { join_from: 1 }, { join_from: -1 }],
    ['too_late', { remove_at: 0 }, {}],
    ['none', { join_from: 0, join_until: 1 }, { join_from: -5, join_until: 9 }],
  ] as const)('is refused as %s by the narrower window', async (expected, token, room) => {
    const now = world.clock.now()
    const shift = (window: Record<string, number>) =>
      Object.fromEntries(Object.entries(window).map(([name, offset]) => [name, now + offset]))
    await world.addRoom({ name: 'timed', ...shift(room) })
    const joining = world.join(new Witness('Ada'), { room_name: 'timed', ...shift(token) })
    expect(await refusal(joining)).toBe(expected)
  })

  test('that fails leaves nothing behind', async () => {
    const joining = world.join(new Witness('Ada'), { room_name: 'r' }, { offer: 'garbage' })
    expect(await refusal(joining)).toBe('media_failed')
    await world.settled()
    expect(world.registry.sessions).toEqual([])
    expect(world.media.rooms.size).toBe(0)
    const { rows } = await world.storage.sessions.list(world.projectId, {}, { limit: 10 })
    expect(rows).toEqual([])
    // Periodic tasks stop, because there are no sessions.
    await world.clock.advance(2000)
    expect(world.clock.pendingCount).toBe(0)
  })

  test('is told when no media worker can be had', async () => {
    world.media.refusesRooms = true
    expect(await refusal(world.join(new Witness('Ada'), { room_name: 'r' }))).toBe('unavailable')
    world.media.refusesRooms = false
    expect(await refusal(world.join(new Witness('Ada'), { room_name: 'r' }))).toBe('none')
  })

  test('is refused when the media worker does not answer in time', async () => {
    world.media.holdsNegotiations = true
    const joining = refusal(world.join(new Witness('Ada'), { room_name: 'r' }))
    await world.settled()
    await world.clock.advance(5000)
    expect(await joining).toBe('media_failed')
    // A late answer is discarded, and its leg closed.
    world.media.negotiations[0]?.succeed()
    await world.settled()
    expect(world.registry.sessions).toEqual([])
  })

  test('is refused when no media room comes in time, and one that comes later is closed', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const createRoom = world.media.createRoom.bind(world.media)
    world.media.createRoom = async (options) => {
      await held
      return createRoom(options)
    }
    const joining = refusal(world.join(new Witness('Ada'), { room_name: 'r' }))
    await world.settled()
    await world.clock.advance(4000)
    expect(await joining).toBe('unavailable')
    release()
    await world.settled()
    expect(world.media.rooms.size).toBe(0)
  })

  test('waits until the session before is completed in storage', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    world.holdTransactions(held)
    const ending = session.end('room_deleted')
    const joining = refusal(world.join(new Witness('Bob'), { room_name: 'r' }))
    await world.settled()
    expect(world.registry.sessions).toEqual([])
    release()
    await ending
    expect(await joining).toBe('none')
  })

  test('is refused by a locked room', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    session.changes.changeRoom({ locked: true })
    expect(await refusal(world.join(new Witness('Bob'), { room_name: 'r' }))).toBe('room_locked')
    session.changes.changeRoom({ locked: false })
    expect(await refusal(world.join(new Witness('Bob'), { room_name: 'r' }))).toBe('none')
    await world.settled()
    expect((await world.history(session)).record?.locked).toBe(false)
  })
})

describe('a locked room', () => {
  const lost = { room_name: 'r', id: newId() }

  test('takes back who lost the connection for longer than the grace', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const bob = new Witness('Bob')
    await world.join(bob, lost)
    session.changes.changeRoom({ locked: true })
    bob.connected = false
    session.presence.lost(bob)
    await world.clock.advance(GRACE.reconnectGraceMs)
    expect(session.members.map(({ name }) => name)).toEqual(['Ada'])
    bob.connected = true
    expect(await refusal(world.join(bob, lost))).toBe('none')
    session.departures.leave(session.members[1]!, 'media_failed')
    // A reloaded page without its resume state is a new client with the same token.
    expect(await refusal(world.join(new Witness('Bob again'), lost))).toBe('none')
  })

  test('takes back neither somebody else with the same token, nor who was removed', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const bob = new Witness('Bob')
    const { member } = await world.join(bob, lost)
    session.changes.changeRoom({ locked: true })
    expect(await refusal(world.join(new Witness('Eve'), lost))).toBe('room_locked')
    session.departures.expel(member)
    expect(await refusal(world.join(bob, lost))).toBe('not_permitted')
  })
})

describe('a full room', () => {
  test('is not overfilled by joins at once, and counts neither audience nor screen shares', async () => {
    await world.addRoom({ name: 'small', max_members: 2 })
    world.media.holdsNegotiations = true
    const joins = ['a', 'b', 'c', 'd'].map((name) =>
      refusal(world.join(new Witness(name), { room_name: 'small' })),
    )
    await world.settled()
    for (const negotiation of [...world.media.negotiations]) negotiation.succeed()
    expect((await Promise.all(joins)).toSorted()).toEqual(['none', 'none', 'seats_taken', 'seats_taken'])
    world.media.holdsNegotiations = false
    const viewer = await world.join(new Witness('v'), { room_name: 'small', join_as: 'audience' })
    const [someone] = viewer.session.members
    await viewer.session.joins.addChild({
      parent: someone as never,
      type: 'screen',
      legId: 'screen',
      offer: 'offer',
      onAnswered: () => {},
    })
    expect(viewer.session.members).toHaveLength(3)
    expect(await refusal(world.join(new Witness('e'), { room_name: 'small' }))).toBe('seats_taken')
    viewer.session.departures.leave(someone as never, 'removed')
    expect(await refusal(world.join(new Witness('e'), { room_name: 'small' }))).toBe('none')
  })

  test('takes no more screen shares of a member than its limit, also when they are written at once', async () => {
    const { session, member } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const share = (legId: string) =>
      refusal(
        session.joins.addChild({
          parent: member,
          type: 'screen',
          legId,
          offer: 'offer',
          onAnswered: () => {},
        }),
      )
    const shares = await Promise.all(Array.from({ length: 12 }, (_, index) => share(`screen-${index}`)))
    expect(shares.filter((code) => code === 'none')).toHaveLength(8)
    expect(shares.filter((code) => code === 'seats_taken')).toHaveLength(4)
    expect(await share('another')).toBe('seats_taken')
    session.departures.hangUp('screen-0')
    expect(await share('yet another')).toBe('none')
  })

  test('gives the seat of a failed join to the next', async () => {
    await world.addRoom({ name: 'one', max_members: 1 })
    await refusal(world.join(new Witness('a'), { room_name: 'one' }, { offer: 'garbage' }))
    expect(await refusal(world.join(new Witness('b'), { room_name: 'one' }))).toBe('none')
  })

  test('limits its audience too', async () => {
    const joins = ['a', 'b', 'c', 'd'].map((name) =>
      refusal(world.join(new Witness(name), { room_name: 'show', join_as: 'audience' })),
    )
    expect((await Promise.all(joins)).toSorted()).toEqual(['none', 'none', 'none', 'seats_taken'])
  })
})

describe('an audience member', () => {
  test('stands in no list and no layout, and is counted', async () => {
    const [ada, viewer] = [new Witness('Ada'), new Witness('V')]
    const { session, member } = await world.join(ada, { room_name: 'show' })
    await world.join(viewer, { room_name: 'show', join_as: 'audience' })
    expect(session.members.map(({ id }) => id)).toEqual([member.id])
    expect(viewer.types).toEqual(['subscribed', 'member_updated', 'layout_changed', 'audience_count'])
    const totals = () =>
      ada.events.flatMap((event: SessionEvent) => (event.type === 'audience_count' ? [event.total] : []))
    expect(totals()).toEqual([1])
    const late = new Witness('Late')
    await world.join(late, { room_name: 'show' })
    expect(late.types.at(-1)).toBe('audience_count')
    const more = await world.join(new Witness('W'), { room_name: 'show', join_as: 'audience' })
    expect(totals()).toEqual([1])
    await world.clock.advance(2000)
    expect(totals()).toEqual([1, 2])
    await world.clock.advance(30_000)
    expect(totals()).toEqual([1, 2, 2])
    more.session.departures.leave(more.member, 'removed')
    await world.clock.advance(2000)
    expect(totals()).toEqual([1, 2, 2, 1])
  })
})

describe('a session', () => {
  test('goes on for the grace after the last has left, then is completed', async () => {
    const { session, legId } = await world.join(new Witness('Ada'), { room_name: 'r' })
    await world.clock.advance(10_000)
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs - 1)
    expect(session.isEnded).toBe(false)
    const back = await world.join(new Witness('Bob'), { room_name: 'r' })
    expect(back.session).toBe(session)
    await world.clock.advance(60_000)
    session.departures.hangUp(back.legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    expect(world.registry.sessions).toEqual([])
    const { record, members, events } = await world.history(session)
    const lastedMs = 10_000 + GRACE.sessionGraceMs - 1 + 60_000 + GRACE.sessionGraceMs
    expect(record).toMatchObject({ status: 'completed', end_time: (record?.start_time ?? 0) + lastedMs })
    expect(members.map(({ join_time, leave_time }) => (leave_time ?? 0) - join_time)).toEqual([
      10_000, 60_000,
    ])
    expect(eventNames(events)).toEqual([
      'room.started',
      'member.joined',
      'member.left',
      'member.joined',
      'member.left',
      'room.ended',
    ])
    const next = await world.join(new Witness('Cyd'), { room_name: 'r' })
    expect(next.session).not.toBe(session)
  })

  test('ends when the member leaves whose token says so', async () => {
    const guest = new Witness('Guest')
    const host = await world.join(new Witness('Host'), { room_name: 'r', end_room_session_on_leave: true })
    const { legId } = await world.join(guest, { room_name: 'r' })
    host.session.departures.hangUp(host.legId)
    await world.settled()
    expect(guest.ended).toEqual([{ legId, cause: 'session_ended' }])
    expect(guest.types).toContain('room_ended')
    const { record, events } = await world.history(host.session)
    expect(record?.status).toBe('completed')
    expect(events.at(-1)).toMatchObject({ name: 'room.ended', payload: { reason: 'member_left' } })
  })

  test('ends with its room, and a new one can begin at once', async () => {
    const ada = new Witness('Ada')
    const { session } = await world.join(ada, { room_name: 'r' })
    await world.storage.rooms.delete(world.projectId, session.roomId)
    await world.registry.endForRoom(world.projectId, session.roomId, 'room_deleted')
    expect(ada.ended.map(({ cause }) => cause)).toEqual(['session_ended'])
    expect((await world.history(session)).record).toMatchObject({
      status: 'completed',
      room_id: session.roomId,
    })
    const next = await world.join(new Witness('Bob'), { room_name: 'r' })
    expect(next.session.roomId).not.toBe(session.roomId)
  })

  test('is marked as alive every second', async () => {
    const { session } = await world.join(new Witness('Ada'), { room_name: 'r' })
    await world.clock.advance(65_000)
    const aliveAt = (await world.history(session)).record?.alive_at ?? 0
    expect(world.clock.now() - aliveAt).toBeLessThanOrEqual(1000)
  })
})

describe('a participant whose socket is gone', () => {
  test('keeps its seat for the grace, then leaves', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r' })
    ada.connected = false
    session.presence.lost(ada)
    await world.clock.advance(GRACE.reconnectGraceMs - 1)
    expect(session.members).toHaveLength(2)
    expect(world.media.roomOf(session.id)?.legs.has(legId)).toBe(true)
    await world.clock.advance(1)
    expect(session.members.map(({ name }) => name)).toEqual(['Bob'])
    expect(ada.ended).toEqual([{ legId, cause: 'connection_lost' }])
    expect(bob.types.slice(-3)).toEqual(['member_left', 'member_updated', 'layout_changed'])
  })

  test('is told what it missed when it is back in time', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session } = await world.join(ada, { room_name: 'r' })
    await world.clock.advance(1000)
    ada.connected = false
    session.presence.lost(ada)
    await world.join(bob, { room_name: 'r' })
    await world.clock.advance(GRACE.reconnectGraceMs - 1)
    ada.connected = true
    ada.events.length = 0
    session.presence.back(ada, GRACE.reconnectGraceMs)
    expect(ada.types).toEqual(['member_updated', 'member_joined', 'member_updated', 'layout_changed'])
    await world.clock.advance(GRACE.reconnectGraceMs * 2)
    expect(session.members).toHaveLength(2)
    expect(bob.types).not.toContain('member_left')
  })

  test('is told which fields have changed meanwhile, and only those', async () => {
    const [ada, bob, eve] = [new Witness('Ada'), new Witness('Bob'), new Witness('Eve')]
    const { session, member } = await world.join(ada, { room_name: 'r' })
    const other = await world.join(bob, { room_name: 'r' })
    const leaving = await world.join(eve, { room_name: 'r' })
    await session.changes.change(member, { deaf: true })
    await world.clock.advance(1000)
    ada.connected = false
    session.presence.lost(ada)
    await world.clock.advance(1000)
    await session.changes.change(member, { audio_muted: true, video_muted: true })
    await session.changes.change(other.member, { input_volume: 5 })
    session.changes.changeRoom({ locked: true })
    session.departures.hangUp(leaving.legId)
    await session.recordings.start()
    ada.connected = true
    ada.events.length = 0
    session.presence.back(ada, 1500)
    expect(ada.events).toMatchObject([
      { type: 'member_left', member: { name: 'Eve' } },
      {
        type: 'member_updated',
        member: { name: 'Ada', audioMuted: true, videoMuted: true },
        updated: ['audio_muted', 'video_muted', 'visible'],
      },
      { type: 'member_updated', member: { name: 'Bob' }, updated: ['input_volume'] },
      { type: 'recording_started' },
      { type: 'room_updated', updated: ['locked', 'recording'] },
      { type: 'layout_changed' },
    ])
  })

  test('hears of no recording that it may not see, and of no reason why somebody left', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session } = await world.join(ada, { room_name: 'r', permissions: [] })
    const removed = await world.join(bob, { room_name: 'r' })
    await world.clock.advance(1000)
    ada.connected = false
    session.presence.lost(ada)
    await session.recordings.start()
    session.departures.expel(removed.member)
    ada.connected = true
    ada.events.length = 0
    session.presence.back(ada, 500)
    expect(ada.types).toEqual(['member_left', 'member_updated', 'room_updated', 'layout_changed'])
    expect(ada.events[0]).not.toHaveProperty('reason')
  })

  test('as a viewer is told its own changes and the size of the audience', async () => {
    const [ada, vera] = [new Witness('Ada'), new Witness('Vera')]
    const { session } = await world.join(ada, { room_name: 'r' })
    const viewer = await world.join(vera, { room_name: 'r', join_as: 'audience' })
    await world.clock.advance(5000)
    vera.connected = false
    session.presence.lost(vera)
    await session.changes.change(viewer.member, { deaf: true })
    await world.join(new Witness('Vito'), { room_name: 'r', join_as: 'audience' })
    await world.clock.advance(5000)
    vera.connected = true
    vera.events.length = 0
    session.presence.back(vera, 5000)
    expect(vera.events).toMatchObject([
      { type: 'member_updated', member: { name: 'Vera' }, updated: ['deaf'] },
      { type: 'member_updated', member: { name: 'Ada' }, updated: [] },
      { type: 'audience_count', total: 2 },
      { type: 'layout_changed' },
    ])
  })

  test('and whose media fails meanwhile is given the whole grace', async () => {
    const ada = new Witness('Ada')
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    const media = world.media.roomOf(session.id)
    media?.emit('leg', { legId, state: 'connected' })
    ada.connected = false
    session.presence.lost(ada)
    media?.emit('leg', { legId, state: 'failed' })
    await world.clock.advance(GRACE.reconnectGraceMs - 1)
    expect(session.members).toHaveLength(1)
    ada.connected = true
    session.presence.back(ada, GRACE.reconnectGraceMs)
    await world.clock.advance(14_000)
    expect(session.members).toHaveLength(1)
    await world.clock.advance(2000)
    expect(session.members).toHaveLength(0)
  })

  test('reloads its page: the same member is greeted again, nobody else hears of it', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session, legId, member } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r' })
    ada.events.length = 0
    bob.events.length = 0
    expect(await session.renegotiate(legId, 'another offer')).toBe('answer to another offer')
    session.presence.greetAgain(legId)
    expect(ada.types).toEqual(['subscribed', 'member_updated', 'member_updated', 'layout_changed'])
    expect(ada.events[0]).toMatchObject({ type: 'subscribed', member })
    expect(bob.events).toEqual([])
  })
})

describe('a leg', () => {
  test.each([
    ['that never connects', [], 29_999],
    ['that fails before it connected', ['failed'], -1],
    ['that fails later', ['connected', 'disconnected', 'failed'], 14_999],
  ] as const)('%s ends after its time', async (_, states, keptMs) => {
    world.media.connectsLegs = false
    const ada = new Witness('Ada')
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    for (const state of states) world.media.roomOf(session.id)?.emit('leg', { legId, state })
    if (keptMs >= 0) {
      await world.clock.advance(keptMs)
      expect(session.members).toHaveLength(1)
    }
    await world.clock.advance(1)
    expect(ada.ended).toEqual([{ legId, cause: 'media_failed' }])
    expect(session.members).toHaveLength(0)
  })

  test('whose worker has ended is over at once, and everybody else goes on', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r' })
    world.media.roomOf(session.id)?.emit('legGone', { legId })
    await world.clock.advance(0)
    expect(ada.ended).toEqual([{ legId, cause: 'media_worker_died' }])
    expect(bob.ended).toEqual([])
    expect(session.members.map(({ name }) => name)).toEqual(['Bob'])
    expect(session.isEnded).toBe(false)
  })

  test('whose worker has ended while its client was away is over when it is back', async () => {
    const ada = new Witness('Ada')
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    session.presence.lost(ada)
    world.media.roomOf(session.id)?.emit('legGone', { legId })
    await world.clock.advance(1000)
    expect(ada.ended).toEqual([])
    session.presence.back(ada, 1000)
    await world.clock.advance(0)
    expect(ada.ended).toEqual([{ legId, cause: 'media_worker_died' }])
  })

  test('that is negotiated anew after it failed stays', async () => {
    const { session, legId } = await world.join(new Witness('Ada'), { room_name: 'r' })
    const media = world.media.roomOf(session.id)
    for (const state of ['connected', 'failed'] as const) media?.emit('leg', { legId, state })
    await world.clock.advance(10_000)
    await session.renegotiate(legId, 'restart')
    media?.emit('leg', { legId, state: 'connected' })
    await world.clock.advance(100_000)
    expect(session.members).toHaveLength(1)
  })

  test('passes on what is wanted of its camera', async () => {
    const ada = new Witness('Ada')
    const { session, legId } = await world.join(ada, { room_name: 'r' })
    const wanted = { legId, width: 640, height: 360, frameRate: 20 }
    world.media.roomOf(session.id)?.emit('videoWanted', wanted)
    expect(ada.wanted).toEqual([wanted])
  })
})

describe('a crowd', () => {
  test('gets its layouts gathered, and the last one in the end', async () => {
    await world.addRoom({ name: 'hall', max_members: 300 })
    const first = new Witness('first')
    const { session } = await world.join(first, { room_name: 'hall' })
    const names = Array.from({ length: 59 }, (_, index) => `m-${index}`)
    await Promise.all(names.map((name) => world.join(new Witness(name), { room_name: 'hall' })))
    const layouts = () => first.types.filter((type) => type === 'layout_changed').length
    expect(layouts()).toBeLessThan(30)
    await world.clock.advance(200)
    expect(session.layout.layers).toHaveLength(60)
    expect(first.events.at(-1)).toMatchObject({ type: 'layout_changed', layout: session.layout })
    expect(world.media.roomOf(session.id)?.tiles).toHaveLength(60)
  })
})

describe('removal', () => {
  test.each([
    ['remove_at of the token', { remove_at: 7000 }, {}, 7000],
    ['remove_at of the room', { remove_at: 9000 }, { remove_at: 7000 }, 7000],
    ['seconds of the token', { remove_after_seconds_elapsed: 7 }, { remove_at: 9000 }, 7000],
    ['seconds of the room', { remove_after_seconds_elapsed: 9 }, { remove_after_seconds_elapsed: 7 }, 7000],
  ])('by %s is on time', async (_, token, room, afterMs) => {
    const now = world.clock.now()
    const shift = (fields: { remove_at?: number; remove_after_seconds_elapsed?: number }) => ({
      ...fields,
      ...(fields.remove_at !== undefined && { remove_at: now + fields.remove_at }),
    })
    await world.addRoom({ name: 'timed', ...shift(room) })
    const ada = new Witness('Ada')
    await world.join(ada, { room_name: 'timed', ...shift(token) })
    await world.clock.advance(afterMs - 1)
    expect(ada.ended).toEqual([])
    await world.clock.advance(1)
    expect(ada.ended).toMatchObject([{ cause: 'time_over' }])
  })

  test('takes screen shares and devices along', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session, member, legId } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r' })
    const child = await session.joins.addChild({
      parent: member,
      type: 'screen',
      legId: 'screen-leg',
      offer: 'offer',
      onAnswered: () => {},
    })
    expect(child).toMatchObject({ type: 'screen', parentId: member.id, name: 'Ada' })
    session.departures.leave(member, 'removed')
    expect(ada.ended).toEqual([
      { legId: 'screen-leg', cause: 'parent_left' },
      { legId, cause: 'removed' },
    ])
    expect(bob.types.filter((type) => type === 'member_left')).toHaveLength(2)
    expect(world.media.roomOf(session.id)?.legs.size).toBe(1)
    // The media worker takes changes of members in turn.
    await world.clock.advance(0)
    expect(world.media.roomOf(session.id)?.members.size).toBe(1)
  })

  test('follows a new token', async () => {
    const ada = new Witness('Ada')
    const { session, member } = await world.join(ada, { room_name: 'r', remove_after_seconds_elapsed: 5 })
    session.renewTerms(
      member,
      world.grant({ room_name: 'r', remove_after_seconds_elapsed: 9, permissions: [] }),
    )
    expect(member.terms.permissions.size).toBe(0)
    await world.clock.advance(8999)
    expect(ada.ended).toEqual([])
    await world.clock.advance(1)
    expect(ada.ended).toMatchObject([{ cause: 'time_over' }])
  })
})

describe('a change of a member', () => {
  test('is told to everybody and to the media worker, once', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session, member } = await world.join(ada, { room_name: 'r' })
    await world.join(bob, { room_name: 'r' })
    bob.events.length = 0
    await Promise.all([1, 2].map(() => session.changes.change(member, { video_muted: true })))
    expect(bob.events).toMatchObject([
      { type: 'member_updated', updated: ['video_muted', 'visible'] },
      { type: 'layout_changed', layout: { layers: [{ visible: false }, { visible: true }] } },
    ])
    await session.changes.change(member, { input_volume: -20, audio_muted: true })
    expect(bob.events.at(-1)).toMatchObject({ updated: ['input_volume', 'audio_muted'] })
    const told = world.media.roomOf(session.id)?.members.get(member.id)
    expect(told).toMatchObject({ videoMuted: true, audioMuted: true, inputVolume: -20 })
  })

  test('in the audience is told to nobody else', async () => {
    const [ada, viewer] = [new Witness('Ada'), new Witness('V')]
    await world.join(ada, { room_name: 'r' })
    const { session, member } = await world.join(viewer, { room_name: 'r', join_as: 'audience' })
    ada.events.length = 0
    await session.changes.change(member, { deaf: true })
    expect(viewer.events.at(-1)).toMatchObject({ type: 'member_updated', updated: ['deaf'] })
    expect(ada.events).toEqual([])
  })

  test('of who talks is told to everybody', async () => {
    const ada = new Witness('Ada')
    const { session, member } = await world.join(ada, { room_name: 'r' })
    ada.events.length = 0
    const media = world.media.roomOf(session.id)
    for (const talking of [true, true, false]) media?.emit('talking', { memberId: member.id, talking })
    expect(ada.types).toEqual(['member_talking', 'member_talking'])
  })
})

describe('calls', () => {
  const calls = async () => (await world.storage.calls.list(world.projectId, {}, { limit: 9 })).rows

  test('are the legs, from the answer to the end, with those of screen shares below', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const first = await world.join(ada, { room_name: 'standup' })
    const startedAt = world.clock.now()
    await world.clock.advance(1000)
    const viewer = await world.join(bob, { room_name: 'standup', join_as: 'audience' })
    await first.session.joins.addChild({
      parent: first.member,
      type: 'screen',
      legId: 'leg of the screen',
      offer: 'offer',
      onAnswered: () => {},
    })
    await world.settled()
    const common = {
      project_id: world.projectId,
      room_session_id: first.session.id,
      to_name: 'standup',
      status: 'in-progress',
      ended_at: null,
    }
    const later = { ...common, created_at: startedAt + 1000 }
    const expected = [
      { ...common, id: first.legId, parent_id: null, from_name: 'Ada', created_at: startedAt },
      { ...later, id: viewer.legId, parent_id: null, from_name: 'Bob' },
      { ...later, id: 'leg of the screen', parent_id: first.legId, from_name: 'Ada' },
    ]
    expect(await calls()).toHaveLength(3)
    expect(await calls()).toEqual(expect.arrayContaining(expected))

    await world.clock.advance(1000)
    first.session.departures.hangUp('leg of the screen')
    await world.settled()
    const endTimes = async () => new Map((await calls()).map(({ id, ended_at }) => [id, ended_at]))
    expect((await endTimes()).get('leg of the screen')).toBe(startedAt + 2000)
    expect((await endTimes()).get(first.legId)).toBeNull()

    await world.clock.advance(1000)
    await first.session.end('room_deleted')
    expect([...(await endTimes()).values()].sort()).toEqual([
      startedAt + 2000,
      startedAt + 3000,
      startedAt + 3000,
    ])
  })

  test('that were refused are none', async () => {
    await world.addRoom({ name: 'small', max_members: 1 })
    await world.join(new Witness('Ada'), { room_name: 'small' })
    expect(await refusal(world.join(new Witness('Bob'), { room_name: 'small' }))).toBe('seats_taken')
    expect((await calls()).map((call) => call.from_name)).toEqual(['Ada'])
  })

  test('of a server that was killed end with their session', async () => {
    await world.join(new Witness('Ada'), { room_name: 'standup' })
    const [session] = await world.storage.sessions.listInProgress()
    await world.clock.advance(60_000)
    await world.newRegistry().recover()
    const [call] = await calls()
    const ended = await world.storage.sessions.find(world.projectId, session?.id ?? '')
    expect(ended?.status).toBe('completed')
    expect(call?.ended_at).toBe(ended?.end_time)
  })
})
