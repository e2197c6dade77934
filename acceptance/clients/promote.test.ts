import { expect, test } from 'vitest'
import type { MemberEvent, PublishedClient } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'promote' })

const MODERATOR = [
  'room.member.promote',
  'room.member.demote',
  'room.self.audio_mute',
  'room.self.audio_unmute',
]

/** A room with a member and a viewer. The member has these permissions. */
async function room(permissions: readonly string[]) {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name, permissions })
  const blue = await deployment.enter(BLUE, { room_name, join_as: 'audience' })
  await blue.moreFrames(3)
  return { room_name, red, blue }
}

/** Waits until `client` is told that this member came or went. */
const toldBy = (client: PublishedClient, name: 'member.joined' | 'member.left', since: number, id: string) =>
  client.events.waitFor<MemberEvent>(name, { since, right: ({ member }) => member.id === id })

test('a viewer is promoted, seen and heard, keeps it over a reload, and is demoted again', async () => {
  const { red, blue } = await room(MODERATOR)
  const memberId = blue.memberId
  const both = seatsOf([
    [red, RED],
    [blue, BLUE],
  ])
  await hears(blue, [RED], [BLUE])
  const since = red.events.mark()
  await red.call('promote', { memberId, permissions: ['room.self.audio_mute'], meta: { seat: 'front' } })
  const { member } = (await toldBy(red, 'member.joined', since, memberId)).params
  expect(member).toMatchObject({ type: 'member', name: BLUE.name, meta: { seat: 'front' } })
  await Promise.all([seesEachInItsTile(red, both), seesEachInItsTile(blue, both)])
  await hears(red, [BLUE], [RED])
  await hears(blue, [RED], [BLUE])
  expect((await blue.refusalOf(blue.call('audioUnmute'))).code).toBe('403')
  await blue.call('audioMute')
  await hears(red, [], [RED, BLUE])

  await blue.reload()
  const { permissions, memberId: same } = await blue.join(blue.token)
  expect([permissions, same]).toEqual([['room.self.audio_mute'], memberId])
  await seesEachInItsTile(red, both)

  const before = red.events.mark()
  await red.call('demote', { memberId })
  await toldBy(red, 'member.left', before, memberId)
  const alone = seatsOf([[red, RED]])
  await Promise.all([seesEachInItsTile(red, alone), seesEachInItsTile(blue, alone)])
  await hears(blue, [RED], [BLUE])
  await hears(red, [], [RED, BLUE])
  expect(await blue.ask('sentVideo')).toBeNull()
  expect((await blue.refusalOf(blue.call('audioMute'))).code).toBe('403')
  expect(blue.events.tail()).not.toContain('room.left')
})

test('a viewer who is promoted for its voice alone, and muted, is heard once it unmutes itself', async () => {
  const { red, blue } = await room(MODERATOR)
  const { memberId } = blue
  const since = red.events.mark()
  await red.call('promote', {
    memberId,
    mediaAllowed: 'audio-only',
    joinAudioMuted: true,
    permissions: ['room.self.audio_unmute'],
  })
  const { member } = (await toldBy(red, 'member.joined', since, memberId)).params
  expect(member).toMatchObject({ audio_muted: true, video_muted: false })
  await hears(red, [], [BLUE])
  await blue.call('audioUnmute')
  await hears(red, [BLUE], [RED])
  expect(await blue.ask('sentVideo')).toBeNull()
  await blue.moreFrames(3)
})

test('nobody is promoted or demoted without the permission, and nobody is told', async () => {
  const { red, blue } = await room(['room.self.audio_mute'])
  for (const [method, memberId] of [
    ['promote', blue.memberId],
    ['demote', red.memberId],
  ] as const) {
    const refused = await red.refusalOf(red.call(method, { memberId }))
    expect([refused.code, refused.message]).toEqual(['403', expect.stringContaining(`room.member.${method}`)])
  }
  await blue.moreFrames(3)
  for (const client of [red, blue]) {
    for (const name of ['member.promoted', 'member.demoted']) expect(client.events.last(name)).toBeUndefined()
  }
  expect(red.tiles().map(({ member_id }) => member_id)).toEqual([red.memberId])
})
