import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'

let world: SessionWorld
let ada: Witness
let bob: Witness
let session: LiveSession

beforeEach(async () => {
  world = await SessionWorld.open()
  ada = new Witness('Ada')
  bob = new Witness('Bob')
  ;({ session } = await world.join(ada, { room_name: 'r' }))
  await world.join(bob, { room_name: 'r' })
  ada.events.length = 0
  bob.events.length = 0
})
afterEach(() => world.close())

const member = (witness: Witness) => session.members.find(({ name }) => name === witness.name)!
const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : String(error))
const changesInHistory = async () =>
  (await world.history(session)).events
    .filter(({ name }) => name.endsWith('.updated'))
    .map(({ name, payload }) => [name, (payload as { changed: unknown }).changed])

describe('a mute', () => {
  test('is answered once the media worker has applied it, and told after the answer', async () => {
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    world.media.confirmations = confirmed
    const order: string[] = []
    const muting = session.changes.change(member(ada), { audio_muted: true }, () => {
      const isApplied = world.media.roomOf(session.id)?.members.get(member(ada).id)?.audioMuted
      order.push(`answered, applied: ${isApplied}, told: ${bob.types.length}`)
    })
    await world.settled()
    expect(order).toEqual([])
    expect(member(ada).audioMuted).toBe(false)
    confirm()
    await muting
    expect(order).toEqual(['answered, applied: true, told: 0'])
    expect(bob.events).toMatchObject([{ type: 'member_updated', updated: ['audio_muted'] }])
  })

  test('that another change overtakes nowhere: changes of one member keep their order', async () => {
    const order: string[] = []
    const [audio_muted, input_volume] = [true, -9]
    await Promise.all([
      session.changes.change(member(ada), { audio_muted }, () => order.push('mute')),
      session.changes.change(member(ada), { input_volume }, () => order.push('volume')),
      session.changes.change(member(ada), { audio_muted: false }, () => order.push('unmute')),
    ])
    expect(order).toEqual(['mute', 'volume', 'unmute'])
    expect(bob.events.map((event) => event.type === 'member_updated' && event.updated)).toEqual([
      ['audio_muted'],
      ['input_volume'],
      ['audio_muted'],
    ])
    expect(world.media.roomOf(session.id)?.members.get(member(ada).id)).toMatchObject({
      audioMuted: false,
      inputVolume: -9,
    })
  })

  test('that the media worker does not confirm is refused, and nothing has changed', async () => {
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    world.media.confirmations = confirmed
    const muting = session.changes.change(member(ada), { audio_muted: true }).catch(codeOf)
    await world.settled()
    await world.clock.advance(4000)
    expect(await muting).toBe('media_failed')
    expect(member(ada).audioMuted).toBe(false)
    expect(bob.events).toEqual([])
    confirm()
    await world.settled()
    expect(world.media.roomOf(session.id)?.members.get(member(ada).id)?.audioMuted).toBe(false)
    await session.changes.change(member(ada), { audio_muted: true })
    expect(member(ada).audioMuted).toBe(true)
  })

  test('of a member who leaves meanwhile is refused, and leaves nothing in the media worker', async () => {
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    const leaving = member(ada)
    world.media.confirmations = confirmed
    const first = session.changes.change(leaving, { audio_muted: true }).catch(codeOf)
    const second = session.changes.change(leaving, { deaf: true }).catch(codeOf)
    await world.settled()
    session.departures.leave(leaving, 'removed')
    confirm()
    expect(await Promise.all([first, second])).toEqual([
      'provided_id_is_unrecognized',
      'provided_id_is_unrecognized',
    ])
    const aboutIt = bob.events.filter((event) => event.type === 'member_updated' && event.member === leaving)
    expect(aboutIt).toEqual([])
    await world.settled()
    expect(world.media.roomOf(session.id)?.members.has(leaving.id)).toBe(false)
  })
})

describe('a hold', () => {
  test('is told to nobody, and stands in the history', async () => {
    await session.changes.change(member(ada), { held: true })
    expect(world.media.roomOf(session.id)?.members.get(member(ada).id)).toMatchObject({ held: true })
    expect([...ada.types, ...bob.types]).toEqual([])
    await world.settled()
    expect(await changesInHistory()).toEqual([['member.updated', { held: true }]])
  })
})

describe('a raised hand', () => {
  test('is told with the time of the first call, and arranges anew only where hands come first', async () => {
    session.changes.raiseHand(member(bob), true)
    const raisedAt = world.clock.now()
    expect(ada.events).toMatchObject([{ type: 'member_updated', updated: ['handraised'] }])
    await world.clock.advance(500)
    session.changes.raiseHand(member(bob), true)
    expect(member(bob).handRaisedAt).toBe(raisedAt)
    expect(ada.events).toHaveLength(1)

    session.changes.changeRoom({ prioritize_handraise: true })
    expect(ada.events[1]).toMatchObject({ type: 'room_updated', updated: ['prioritize_handraise'] })
    expect(ada.types.at(-1)).toBe('layout_changed')
    expect(session.layout.layers[0]?.member_id).toBe(member(bob).id)
    session.changes.raiseHand(member(bob), false)
    expect(member(bob).handRaisedAt).toBeNull()
    expect(session.layout.layers[0]?.member_id).toBe(member(ada).id)
  })
})

describe('hiding muted video', () => {
  test('takes those off the canvas who have no picture, and back on', async () => {
    await session.changes.change(member(ada), { video_muted: true })
    bob.events.length = 0
    session.changes.changeRoom({ hide_video_muted: true })
    expect(session.hideVideoMuted).toBe(true)
    expect(bob.types[0]).toBe('room_updated')
    expect(bob.types.at(-1)).toBe('layout_changed')
    expect(session.layout.layers.map(({ member_id }) => member_id)).toEqual([member(bob).id])
    expect(world.media.roomOf(session.id)?.tiles).toHaveLength(1)
    session.changes.changeRoom({ hide_video_muted: false })
    expect(session.layout.layers).toHaveLength(2)
  })
})

describe('meta', () => {
  test('is limited like that of a token, and a refused one changes nothing', () => {
    const large = { text: 'ü'.repeat(1990) }
    for (const change of [
      () => session.changes.changeRoom({ meta: large, locked: true }),
      () => session.changes.setMeta(member(ada), large),
    ])
      expect(change).toThrow(/2000 are the limit/)
    expect([session.meta, session.locked, member(ada).meta]).toEqual([{}, false, {}])
    expect(bob.events).toEqual([])
    session.changes.setMeta(member(ada), { text: 'ü'.repeat(1989) })
    expect(bob.events).toMatchObject([{ type: 'member_updated', updated: ['meta'] }])
  })

  test('that is the same already is told to nobody', () => {
    session.changes.changeRoom({ meta: { a: { b: [1] } } })
    session.changes.changeRoom({ meta: { a: { b: [1] } } })
    expect(bob.types).toEqual(['room_updated'])
  })
})

describe('the history', () => {
  test('has the changes of a second together, in order with departures and the end', async () => {
    const adas = member(ada)
    for (const input_volume of [1, 2, 3]) await session.changes.change(adas, { input_volume })
    session.changes.raiseHand(adas, true)
    session.changes.changeRoom({ locked: true })
    await world.settled()
    expect(await changesInHistory()).toEqual([
      ['member.updated', { input_volume: 1 }],
      ['room.updated', { locked: true }],
    ])
    await world.clock.advance(1000)
    expect((await changesInHistory()).slice(2)).toEqual([
      ['member.updated', { input_volume: 3, handraised: true }],
    ])
    await session.changes.change(adas, { deaf: true })
    session.departures.leave(adas, 'removed')
    session.changes.changeRoom({ meta: { a: 1 } })
    session.changes.changeRoom({ meta: { a: 2 } })
    await session.end('room_deleted')
    const { events } = await world.history(session)
    expect(
      events.slice(-6).map(({ name, payload }) => [name, (payload as { changed?: object }).changed]),
    ).toEqual([
      ['member.updated', { deaf: true }],
      ['member.left', undefined],
      ['room.updated', { meta: { a: 1 } }],
      ['member.left', undefined],
      ['room.updated', { meta: { a: 2 } }],
      ['room.ended', undefined],
    ])
  })
})
