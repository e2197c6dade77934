import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import type { MemberEvent } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile, tileColour } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'members', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })

const MODERATOR = [
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.member.remove',
  'room.member.deaf',
  'room.list_available_layouts',
]

async function two(
  red: Record<string, unknown> = {},
  green: Record<string, unknown> = {},
): Promise<[Participant, Participant]> {
  const room_name = deployment.roomName()
  return [
    await deployment.enter(RED, { room_name, ...red }),
    await deployment.enter(GREEN, { room_name, ...green }),
  ]
}

test('mute and unmute silence and darken a member for the others, and tell them', async () => {
  const [red, green] = await two()
  await seesEachInItsTile(
    green,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
  await hears(green, [RED], [GREEN])
  const isMuted =
    (field: string, muted: boolean) =>
    ({ member }: MemberEvent) =>
      member.id === red.memberId && member[field] === muted

  let since = green.events.mark()
  await red.call('audioMute')
  await green.events.waitFor<MemberEvent>('member.updated', { since, right: isMuted('audio_muted', true) })
  await hears(green, [], [RED, GREEN])
  since = green.events.mark()
  await red.call('audioUnmute')
  await green.events.waitFor<MemberEvent>('member.updated', { since, right: isMuted('audio_muted', false) })
  await hears(green, [RED], [GREEN])

  since = green.events.mark()
  await red.call('videoMute')
  await green.events.waitFor<MemberEvent>('member.updated', { since, right: isMuted('video_muted', true) })
  await eventually(
    'a tile without a camera',
    () => tileColour(green, red.memberId),
    (name) => name !== RED.name && name !== 'no tile' && name !== 'no picture',
  )
  since = green.events.mark()
  await red.call('videoUnmute')
  await green.events.waitFor<MemberEvent>('member.updated', { since, right: isMuted('video_muted', false) })
  await eventually(
    'the camera again',
    () => tileColour(green, red.memberId),
    (name) => name === RED.name,
  )
})

test('a member that joins muted is neither heard nor seen, but has a tile with its name', async () => {
  const [red, green] = await two({}, { join_audio_muted: true, join_video_muted: true })
  const { members } = await red.call<{ members: MemberEvent['member'][] }>('getMembers')
  const seen = members.find(({ id }) => id === green.memberId)
  expect(seen).toMatchObject({ name: GREEN.name, audio_muted: true, video_muted: true })
  await red.layoutOf([red.memberId, green.memberId])
  const tile = red.tiles().find(({ member_id }) => member_id === green.memberId)
  if (tile === undefined) throw new Error('no tile')
  await eventually(
    'own colour',
    () => tileColour(red, red.memberId),
    (name) => name === RED.name,
  )
  await red.moreFrames(20)
  expect(await tileColour(red, green.memberId)).not.toBe(GREEN.name)
  // A name is light text on a dark card, so the tile is neither black nor one single colour.
  const cells = Array.from({ length: 64 }, (_, i) => ({
    x: tile.x + (tile.width * (i % 16)) / 16,
    y: tile.y + tile.height * (0.3 + (0.4 * Math.floor(i / 16)) / 4),
    width: tile.width / 16,
    height: tile.height * 0.1,
  }))
  const levels = (await red.coloursAt(cells)).map((colour) => Math.max(...(colour ?? [0, 0, 0])))
  expect(Math.max(...levels) - Math.min(...levels)).toBeGreaterThan(30)
  await hears(red, [], [GREEN, RED])
})

test('a deaf member hears nothing and is not heard, and may unmute itself', async () => {
  const [red, green] = await two()
  await Promise.all([hears(green, [RED], [GREEN]), hears(red, [GREEN], [RED])])
  await green.call('deaf')
  await Promise.all([hears(green, [], [RED, GREEN]), hears(red, [], [GREEN, RED])])
  await green.call('audioUnmute')
  await Promise.all([hears(green, [], [RED, GREEN]), hears(red, [GREEN], [RED])])
  await green.call('undeaf')
  await Promise.all([hears(green, [RED], [GREEN]), hears(red, [GREEN], [RED])])
  await green.call('deaf')
  await hears(red, [], [GREEN, RED])
  await green.call('undeaf')
  await Promise.all([hears(green, [RED], [GREEN]), hears(red, [GREEN], [RED])])
})

test('volumes raise and lower what is heard', async () => {
  const [red, green] = await two()
  await hears(green, [RED], [GREEN])
  const level = async () => (await green.spectrum([RED.toneHz])).tones[0] ?? -200
  const loud = await level()
  await red.call('setInputVolume', { volume: -30 })
  await eventually('a lower microphone', level, (now) => now < loud - 6)
  await red.call('setInputVolume', { volume: 0 })
  await eventually('the microphone as before', level, (now) => Math.abs(now - loud) < 4)
  await green.call('setOutputVolume', { volume: -30 })
  await eventually('a lower loudspeaker', level, (now) => now < loud - 6)
  expect((await red.refusalOf(red.call('setInputVolume', { volume: 51 }))).code).not.toBe('')
})

test('permissions are enforced by the server', async () => {
  const [red, green] = await two({ permissions: ['room.self.video_mute'] })
  expect(red.joinedAs?.permissions).toEqual(['room.self.video_mute'])
  const { memberId } = green
  const attempts: [string, ...unknown[]][] = [
    ['audioMute'],
    ['audioMute', { memberId }],
    ['videoMute', { memberId }],
    ['deaf', { memberId }],
    ['setInputVolume', { memberId, volume: 0 }],
    ['removeMember', { memberId }],
    ['startRecording'],
    ['getRecordings'],
    ['getLayouts'],
  ]
  for (const [method, ...parameters] of attempts) {
    const refused = await red.refusalOf(red.call(method, ...parameters))
    expect(refused.code, method).toBe('403')
  }
  await red.call('videoMute')
  const { members } = await red.call<{ members: MemberEvent['member'][] }>('getMembers')
  expect(members.find(({ id }) => id === memberId)).toMatchObject({
    audio_muted: false,
    video_muted: false,
    deaf: false,
  })
})

test('a moderator mutes others, lists layouts and removes a member', async () => {
  const [moderator, green] = await two({ permissions: MODERATOR })
  const { layouts } = await moderator.call<{ layouts: string[] }>('getLayouts')
  expect(layouts).toContain('grid-responsive')
  await hears(moderator, [GREEN], [RED])
  await moderator.call('audioMute', { memberId: green.memberId })
  await hears(moderator, [], [GREEN, RED])
  const since = moderator.events.mark()
  await moderator.call('removeMember', { memberId: green.memberId })
  await green.events.waitFor('room.left')
  await moderator.events.waitFor<MemberEvent>('member.left', {
    since,
    right: ({ member }) => member.id === green.memberId,
  })
  await moderator.layoutOf([moderator.memberId])
  const unknown = moderator.call('removeMember', { memberId: '00000000-0000-4000-8000-000000000000' })
  expect((await moderator.refusalOf(unknown)).code).toBe('404')
})

test('a member is removed when its seconds have elapsed', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name, remove_after_seconds_elapsed: 4 })
  const joinedAtMs = green.joinedAs?.joinResolvedAtMs ?? 0
  const { atMs } = await green.events.waitFor('room.left', { timeoutMs: 8000 })
  expect(atMs - joinedAtMs).toBeGreaterThan(2500)
  expect(atMs - joinedAtMs).toBeLessThan(5500)
  await red.layoutOf([red.memberId])
})

test('everybody is removed at the time the room says', async () => {
  const room_name = deployment.roomName()
  const removeAtMs = Math.ceil(Date.now() / 1000) * 1000 + 10_000
  await deployment.rest.createRoom({ name: room_name, remove_at: new Date(removeAtMs).toISOString() })
  const [red, blue] = [
    await deployment.enter(RED, { room_name }),
    await deployment.enter(BLUE, { room_name, join_as: 'audience' }),
  ]
  for (const each of [red, blue]) {
    const { atMs } = await each.events.waitFor('room.left', { timeoutMs: 15_000 })
    expect(atMs).toBeGreaterThan(removeAtMs - 100)
    expect(atMs).toBeLessThan(removeAtMs + 1500)
  }
})

test('the session ends when the member leaves whose token says so', async () => {
  const [host, green] = await two({ end_room_session_on_leave: true })
  await host.leave()
  await green.events.waitFor('room.left')
  const session = await eventually(
    'the completed session',
    () => deployment.rest.session(green.roomSessionId),
    ({ status }) => status === 'completed',
  )
  expect(session.end_time).not.toBeNull()
})

test('deleting the room ends its session', async () => {
  const [red] = await two()
  const roomId = red.joinedAs?.roomId ?? ''
  expect((await deployment.rest.send('DELETE', `/rooms/${roomId}`)).status).toBe(204)
  await red.events.waitFor('room.left')
  const session = await deployment.rest.session(red.roomSessionId)
  expect(session.room_id).toBe(roomId)
})
