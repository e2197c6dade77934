import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'
import type { Member } from './member.ts'
import type { LayoutWish } from './session-layout.ts'

let world: SessionWorld
let session: LiveSession

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

/** Lets people into a room with this layout. The first one is the witness of what everybody is told. */
async function enter(layout: string, ...names: string[]): Promise<Member[]> {
  await world.addRoom({ name: 'r', layout, max_members: 300 })
  const members: Member[] = []
  for (const name of names) {
    const witness = new Witness(name)
    const joined = await world.join(witness, { room_name: 'r' })
    session = joined.session
    members.push(joined.member)
    if (name !== names[0]) continue
    told.witness = witness
  }
  told.witness.events.length = 0
  return members
}

/** What everybody was told since the last look: what happened, to whom, and the changed fields. */
const told = {
  witness: new Witness('nobody'),
  since() {
    const events = this.witness.events.splice(0)
    return events.map((event) => {
      if (event.type === 'member_updated') return [event.member.name, ...event.updated]
      if (event.type === 'room_updated') return ['room', ...event.updated]
      return [event.type]
    })
  },
}

const positions = () => Object.fromEntries(session.members.map((one) => [one.name, one.currentPosition]))

async function share(parent: Member, wish: LayoutWish = {}) {
  const legId = newId()
  const child = await session.joins.addChild({
    parent,
    type: 'screen',
    legId,
    offer: 'offer',
    wish,
    onAnswered: () => {},
  })
  await world.settled()
  return child
}

const talk = (member: Member, talking: boolean) =>
  world.media.roomOf(session.id)?.emit('talking', { memberId: member.id, talking })

describe('a layout', () => {
  test('is at first that of the room', async () => {
    const [ada] = await enter('3x3', 'Ada')
    expect(session.layoutName).toBe('3x3')
    expect(session.layout.layers).toHaveLength(9)
    expect(world.media.roomOf(session.id)?.tiles).toEqual([
      { memberId: ada!.id, x: 0, y: 0, width: 33.3333, height: 33.3333 },
    ])
  })

  test('is set for everybody, told once and kept in the history', async () => {
    await enter('grid-responsive', 'Ada', 'Bob', 'Eve')
    session.arrangement.setLayout('2x1')
    expect(told.since()).toEqual([
      ['Eve', 'current_position', 'visible'],
      ['layout_changed'],
      ['room', 'layout_name'],
    ])
    expect(session.layoutName).toBe('2x1')
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'standard-2', Eve: 'off-canvas' })
    session.arrangement.setLayout('2x1')
    expect(told.since()).toEqual([])
    await world.settled()
    const { events } = await world.history(session)
    expect(events.filter(({ name }) => name === 'layout.changed')).toMatchObject([
      { payload: { layout_name: '2x1' } },
    ])
  })

  test('comes with positions in one step', async () => {
    const [ada, bob] = await enter('grid-responsive', 'Ada', 'Bob')
    session.arrangement.setLayout('1up-top-left5', new Map([[bob!, 'reserved-1']]))
    expect(told.since()).toEqual([
      ['Bob', 'requested_position', 'current_position'],
      ['layout_changed'],
      ['room', 'layout_name'],
    ])
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'reserved-1' })
    expect(ada!.requestedPosition).toBe('auto')
  })

  test('does not wait in a crowd when somebody sets it, and tells of the many at once', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `m-${index}`)
    const members = await enter('grid-responsive', ...names)
    session.arrangement.setLayout('1x1', new Map([[members[7]!, 'standard-1']]))
    expect(told.since()).toEqual([
      ['m-7', 'requested_position', 'current_position'],
      ['layout_changed'],
      ['room', 'layout_name'],
    ])
    expect(world.media.roomOf(session.id)?.tiles.map(({ memberId }) => memberId)).toEqual([members[7]!.id])
  })
})

describe('a position', () => {
  test('goes to the latest who asks; the one before is moved back to auto', async () => {
    const [ada, bob] = await enter('2x2', 'Ada', 'Bob', 'Eve')
    session.arrangement.setPositions(new Map([[ada!, 'standard-4']]))
    expect(positions()).toEqual({ Ada: 'standard-4', Bob: 'standard-1', Eve: 'standard-2' })
    told.since()
    session.arrangement.setPositions(new Map([[bob!, 'standard-4']]))
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'standard-4', Eve: 'standard-2' })
    expect(told.since()).toEqual([
      ['Ada', 'requested_position', 'current_position'],
      ['Bob', 'requested_position', 'current_position'],
      ['layout_changed'],
    ])
    await world.settled()
    const { events } = await world.history(session)
    expect(events.filter(({ name }) => name === 'position.requested').map(({ payload }) => payload)).toEqual([
      { id: ada!.id, position: 'standard-4' },
      { id: ada!.id, position: 'auto' },
      { id: bob!.id, position: 'standard-4' },
    ])
  })

  test('that the layout lacks waits for one that has it', async () => {
    const [ada] = await enter('2x2', 'Ada', 'Bob')
    session.arrangement.setPositions(new Map([[ada!, 'reserved-1']]))
    expect(told.since()).toEqual([['Ada', 'requested_position'], ['layout_changed']])
    session.arrangement.setLayout('full-screen')
    expect(positions()).toEqual({ Ada: 'reserved-1', Bob: 'off-canvas' })
  })

  test('off the canvas and under a full screen is not visible', async () => {
    const [ada, bob] = await enter('grid-responsive', 'Ada', 'Bob')
    session.arrangement.setPositions(new Map([[ada!, 'full-screen']]))
    expect(told.since()).toEqual([
      ['Ada', 'requested_position', 'current_position'],
      ['Bob', 'current_position', 'visible'],
      ['layout_changed'],
    ])
    expect([ada!.visible, bob!.visible]).toEqual([true, false])
    // What cannot be seen anyway does not become invisible.
    await session.changes.change(bob!, { video_muted: true })
    expect(told.since()).toEqual([['Bob', 'video_muted'], ['layout_changed']])
    session.arrangement.setPositions(new Map([[ada!, 'off-canvas']]))
    await session.changes.change(bob!, { video_muted: false })
    expect([ada!.visible, bob!.visible]).toEqual([false, true])
    expect(positions()).toEqual({ Ada: 'off-canvas', Bob: 'standard-1' })
  })

  test('is free again when its holder leaves', async () => {
    const [ada, bob] = await enter('2x2', 'Ada', 'Bob')
    session.arrangement.setPositions(new Map([[bob!, 'standard-1']]))
    session.departures.leave(bob!, null)
    expect(positions()).toEqual({ Ada: 'standard-1' })
    expect(ada!.requestedPosition).toBe('auto')
  })
})

describe('a screen share', () => {
  test('brings its layout and place, which end with it', async () => {
    const [ada] = await enter('2x2', 'Ada', 'Bob')
    const screen = await share(ada!, { layout: 'screen-share', positions: { self: 'full-screen' } })
    expect(told.since()).toEqual(
      [
        ['Ada', 'current_position'],
        ['Bob', 'current_position'],
        ['member_joined'],
        ['layout_changed'],
        ['room', 'layout_name'],
      ].toSorted((one, other) => Number(other[0] === 'member_joined') - Number(one[0] === 'member_joined')),
    )
    expect(screen.currentPosition).toBe('full-screen')
    expect(session.layoutName).toBe('screen-share')
    session.departures.leave(screen, null)
    expect(session.layoutName).toBe('2x2')
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'standard-2' })
    expect(told.since().at(-1)).toEqual(['room', 'layout_name'])
  })

  test('leaves a layout that somebody set meanwhile', async () => {
    const [ada] = await enter('2x2', 'Ada')
    const screen = await share(ada!, { layout: 'screen-share' })
    session.arrangement.setLayout('3x3')
    session.departures.leave(screen, null)
    expect(session.layoutName).toBe('3x3')
  })

  test('that ends before a later one leaves its layout for the end of that one', async () => {
    const [ada] = await enter('2x2', 'Ada')
    const first = await share(ada!, { layout: 'screen-share' })
    const second = await share(ada!, { layout: 'presenter-dual-horizontal' })
    session.departures.leave(first, null)
    expect(session.layoutName).toBe('presenter-dual-horizontal')
    session.departures.leave(second, null)
    expect(session.layoutName).toBe('2x2')
  })

  test('may place others, and ignores who is not there', async () => {
    const [ada, bob] = await enter('2x2', 'Ada', 'Bob')
    await share(ada!, { positions: { [bob!.id]: 'off-canvas', nobody: 'standard-1' } })
    expect(bob!.currentPosition).toBe('off-canvas')
  })
})

test('an extra microphone has no tile, an extra camera has one', async () => {
  const [ada] = await enter('grid-responsive', 'Ada')
  const add = (sendsVideo: boolean) =>
    session.joins.addChild({
      parent: ada!,
      type: 'device',
      sendsVideo,
      legId: newId(),
      offer: 'offer',
      onAnswered: () => {},
    })
  const [microphone, camera] = [await add(false), await add(true)]
  expect(microphone.currentPosition).toBe('off-canvas')
  expect(session.layout.layers.map(({ member_id }) => member_id)).toEqual([ada!.id, camera.id])
})

describe('speakers', () => {
  test('without a place take that of the one who has been silent for longest, after 2 s', async () => {
    const [ada, bob, eve] = await enter('2x1', 'Ada', 'Bob', 'Eve')
    talk(ada!, true)
    await world.clock.advance(500)
    talk(ada!, false)
    talk(eve!, true)
    await world.clock.advance(1999)
    expect(eve!.currentPosition).toBe('off-canvas')
    await world.clock.advance(1)
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'off-canvas', Eve: 'standard-2' })
    // Now Ada has been silent for longest among those who are shown. Pauses between sentences do not count.
    talk(bob!, true)
    await world.clock.advance(1000)
    talk(bob!, false)
    await world.clock.advance(400)
    talk(bob!, true)
    await world.clock.advance(600)
    expect(positions()).toEqual({ Ada: 'off-canvas', Bob: 'standard-1', Eve: 'standard-2' })
    await world.clock.advance(10_000)
    expect(positions()).toEqual({ Ada: 'off-canvas', Bob: 'standard-1', Eve: 'standard-2' })
  })

  test('take no place that was asked for, nor one of somebody who speaks', async () => {
    const [ada, bob, eve] = await enter('2x1', 'Ada', 'Bob', 'Eve')
    session.arrangement.setPositions(new Map([[ada!, 'standard-1']]))
    talk(bob!, true)
    talk(eve!, true)
    await world.clock.advance(5000)
    expect(eve!.currentPosition).toBe('off-canvas')
    talk(bob!, false)
    await world.clock.advance(2000)
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'off-canvas', Eve: 'standard-2' })
  })

  test('take none where the operator does not want it', async () => {
    world.speakersTakePlaces = false
    await world.registry.stop()
    world.registry = world.newRegistry()
    const [, bob] = await enter('1x1', 'Ada', 'Bob')
    talk(bob!, true)
    await world.clock.advance(10_000)
    expect(bob!.currentPosition).toBe('off-canvas')
  })

  test('are highlighted after 1.5 s, and for 3 s at least', async () => {
    const [ada, bob, eve] = await enter('highlight-1-responsive', 'Ada', 'Bob', 'Eve')
    expect(ada!.currentPosition).toBe('reserved-1')
    talk(bob!, true)
    await world.clock.advance(1499)
    expect(bob!.currentPosition).toBe('standard-1')
    await world.clock.advance(1)
    expect(positions()).toEqual({ Ada: 'standard-1', Bob: 'reserved-1', Eve: 'standard-2' })
    talk(bob!, false)
    talk(eve!, true)
    await world.clock.advance(2999)
    expect(bob!.currentPosition).toBe('reserved-1')
    await world.clock.advance(1)
    expect(eve!.currentPosition).toBe('reserved-1')
    // A short remark does not count, and nobody becomes small by being silent.
    talk(eve!, false)
    talk(ada!, true)
    await world.clock.advance(1000)
    talk(ada!, false)
    await world.clock.advance(10_000)
    expect(eve!.currentPosition).toBe('reserved-1')
    session.departures.leave(eve!, null)
    expect(positions()).toEqual({ Ada: 'reserved-1', Bob: 'standard-1' })
  })

  test('are members, whichever of their microphones hears them, and no screens', async () => {
    const [ada, bob] = await enter('highlight-1-responsive', 'Ada', 'Bob')
    const microphone = await session.joins.addChild({
      parent: bob!,
      type: 'device',
      sendsVideo: false,
      legId: newId(),
      offer: 'offer',
      onAnswered: () => {},
    })
    session.arrangement.setPositions(new Map([[await share(ada!), 'off-canvas']]))
    talk(session.members.find(({ type }) => type === 'screen') as Member, true)
    await world.clock.advance(3000)
    expect(ada!.currentPosition).toBe('reserved-1')
    talk(microphone, true)
    await world.clock.advance(3000)
    expect(bob!.currentPosition).toBe('reserved-1')
  })
})

describe('the composed picture', () => {
  test('is known to follow an arrangement once the mixer has confirmed it', async () => {
    const [ada] = await enter('grid-responsive', 'Ada', 'Bob')
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    world.media.tilesConfirmed = confirmed
    session.arrangement.setPositions(new Map([[ada!, 'off-canvas']]))
    let isComposed = false
    const composed = session.picture.confirmed().then(() => {
      isComposed = true
    })
    await world.settled()
    expect(isComposed).toBe(false)
    confirm()
    await composed
    expect(world.media.roomOf(session.id)?.tiles).toHaveLength(1)
  })

  test('that the mixer does not confirm is refused in time', async () => {
    const [ada] = await enter('grid-responsive', 'Ada', 'Bob')
    const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
    world.media.tilesConfirmed = confirmed
    session.arrangement.setPositions(new Map([[ada!, 'off-canvas']]))
    const composed = session.picture.confirmed().catch((error: Error) => error.message)
    await world.settled()
    await world.clock.advance(4000)
    expect(await composed).toMatch(/picture could not be changed/)
    confirm()
  })
})
