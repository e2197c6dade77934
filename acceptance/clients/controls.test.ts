import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import type { MemberEvent } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile, tileColour } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'controls' })

interface RoomEvent {
  room_session: Record<string, unknown>
}

/** Red and Green with these permissions, as soon as Red sees both. */
async function two(
  permissions: string[],
  ofGreen: string[] = [],
  token: Record<string, unknown> = {},
): Promise<[Participant, Participant]> {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name, permissions, ...token })
  const green = await deployment.enter(GREEN, { room_name, permissions: ofGreen, ...token })
  await seesEachInItsTile(
    red,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
  return [red, green]
}

/** Each of these calls of a member is refused for want of a permission, and nobody is told anything. */
async function refusedAndUntold(
  caller: Participant,
  witness: Participant,
  calls: readonly (readonly [string, ...unknown[]])[],
): Promise<void> {
  const since = witness.events.mark()
  for (const [method, ...parameters] of calls) {
    expect((await caller.refusalOf(caller.call(method, ...parameters))).code, method).toBe('403')
  }
  // Events come in order, so the answer to a request of the witness comes after what a call above had told.
  await witness.call('getMembers')
  for (const name of ['member.updated', 'room.updated', 'layout.changed'])
    expect(witness.events.all(name, since), name).toEqual([])
}

test('a member on hold is neither seen nor heard, and hears nobody, until it is back', async () => {
  const [red, green] = await two([])
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  const both = () =>
    Promise.all([seesEachInItsTile(green, seats), hears(green, [RED], [GREEN]), hears(red, [GREEN], [RED])])
  await both()
  await red.call('hold')
  await Promise.all([
    eventually(
      'a tile without a camera',
      () => tileColour(green, red.memberId),
      (name) => name.startsWith('rgb'),
    ),
    hears(green, [], [RED, GREEN]),
    hears(red, [], [RED, GREEN]),
  ])
  expect(await tileColour(green, green.memberId)).toBe(GREEN.name)
  expect(await tileColour(green, red.memberId)).not.toBe(RED.name)
  await red.call('unhold')
  await both()
})

test('where the room hides muted video, a member has a tile only while its camera is on', async () => {
  const [red, green] = await two(
    ['room.hide_video_muted', 'room.show_video_muted'],
    ['room.self.video_mute', 'room.self.video_unmute'],
  )
  const whole = seatsOf([[red, RED]])
  const both = new Map([...whole, ...seatsOf([[green, GREEN]])])
  await refusedAndUntold(green, red, [['setHideVideoMuted', true], ['hideVideoMuted'], ['showVideoMuted']])
  await red.call('setHideVideoMuted', true)
  await green.events.waitFor<RoomEvent>('room.updated', {
    right: ({ room_session }) => room_session.hide_video_muted === true,
  })
  await green.call('videoMute')
  const { tiles } = await seesEachInItsTile(red, whole)
  expect(tiles.get(red.memberId)).toMatchObject({ width: 100, height: 100 })
  await green.call('videoUnmute')
  await seesEachInItsTile(red, both)
  await green.call('videoMute')
  await red.layoutOf([red.memberId])
  await red.call('setHideVideoMuted', false)
  await red.layoutOf([...both.keys()])
})

test('a raised hand takes the first place where the room prioritises it, and gives it back', async () => {
  const [red, green] = await two(
    ['room.prioritize_handraise', 'room.member.lowerhand'],
    ['room.self.raisehand'],
    { join_audio_muted: true },
  )
  const sees = async (first: Participant) => {
    const seats = seatsOf([
      [red, RED],
      [green, GREEN],
    ])
    await eventually(
      `${first.name} has the first place`,
      async () => red.tiles().find(({ position }) => position === 'standard-1')?.member_id,
      (id) => id === first.memberId,
    )
    await seesEachInItsTile(red, seats)
  }
  const told = (since: number, handraised: boolean) =>
    Promise.all(
      [red, green].map((each) =>
        each.events.waitFor<MemberEvent>('member.updated', {
          since: each === red ? since : 0,
          right: ({ member }) => member.id === green.memberId && member.handraised === handraised,
        }),
      ),
    )
  await sees(red)
  await refusedAndUntold(green, red, [
    ['setPrioritizeHandraise', true],
    ['setRaisedHand', { memberId: red.memberId }],
    ['setRaisedHand', { raised: false }],
  ])
  await refusedAndUntold(red, green, [
    ['setRaisedHand'],
    ['setRaisedHand', { memberId: green.memberId }],
    ['setRaisedHand', { raised: false }],
  ])
  await red.call('setPrioritizeHandraise', true)
  let since = red.events.mark()
  await green.call('setRaisedHand')
  await told(since, true)
  await sees(green)
  since = red.events.mark()
  await red.call('setRaisedHand', { raised: false, memberId: green.memberId })
  await told(since, false)
  await sees(red)
})

test('the meta of room and members is told to all, and read back as it was changed', async () => {
  const [red, green] = await two(['room.set_meta', 'room.self.set_meta', 'room.member.set_meta'])
  const { memberId } = green
  await refusedAndUntold(green, red, [
    ['setMeta', { topic: 'none' }],
    ['updateMeta', { topic: 'none' }],
    ['deleteMeta', ['topic']],
    ['setMemberMeta', { memberId, meta: { desk: 0 } }],
    ['updateMemberMeta', { memberId, meta: { desk: 0 } }],
    ['deleteMemberMeta', { memberId, keys: ['desk'] }],
    ['setMemberMeta', { memberId: red.memberId, meta: { desk: 0 } }],
  ])
  const roomMeta = async (call: [string, ...unknown[]], meta: object) => {
    const since = green.events.mark()
    await red.call(...call)
    const right = ({ room_session }: RoomEvent) => isDeepStrictEqual(room_session.meta, meta)
    await green.events.waitFor<RoomEvent>('room.updated', { since, right })
    expect(await green.call('getMeta')).toEqual({ meta })
  }
  await roomMeta(['setMeta', { topic: 'budget', floor: { number: 3 } }], {
    topic: 'budget',
    floor: { number: 3 },
  })
  await roomMeta(['updateMeta', { topic: 'plans', open: true }], {
    topic: 'plans',
    floor: { number: 3 },
    open: true,
  })
  await roomMeta(['deleteMeta', ['floor', 'absent']], { topic: 'plans', open: true })

  const memberMeta = async (call: [string, ...unknown[]], meta: object) => {
    const since = green.events.mark()
    await red.call(...call)
    const right = ({ member }: MemberEvent) => member.id === memberId && isDeepStrictEqual(member.meta, meta)
    await green.events.waitFor<MemberEvent>('member.updated', { since, right })
    expect(await green.call('getMemberMeta', { memberId })).toEqual({ meta })
  }
  await memberMeta(['setMemberMeta', { memberId, meta: { desk: 4, team: 'blue' } }], {
    desk: 4,
    team: 'blue',
  })
  await memberMeta(['updateMemberMeta', { memberId, meta: { desk: 5, late: false } }], {
    desk: 5,
    team: 'blue',
    late: false,
  })
  await memberMeta(['deleteMemberMeta', { memberId, keys: ['team', 'absent'] }], { desk: 5, late: false })
  expect(await red.call('getMemberMeta', { memberId: red.memberId })).toEqual({ meta: {} })
})
