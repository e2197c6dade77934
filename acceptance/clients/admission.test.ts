import { expect, test } from 'vitest'
import type { Refused } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'admission', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })

/** Codes that the client gets if the server refuses it before the call (client protocol, section 6). */
const AUTHENTICATION_FAILED = '-32002'
const ROOM_FULL = '480'

const fromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

async function refusalOf(token: { room_name: string } & Record<string, unknown>): Promise<Refused> {
  const participant = await deployment.open(RED)
  const signed = await deployment.rest.createRoomToken({ user_name: RED.name, ...token })
  return participant.refusalOf(participant.join(signed))
}

test.each([
  ['before its own window', { join_from: fromNow(600) }, {}],
  ['after its own window', { join_until: fromNow(-5) }, {}],
  ['before the window of the room', {}, { join_from: fromNow(600) }],
  ['after the window of the room', {}, { join_from: fromNow(-600), join_until: fromNow(-5) }],
  ['after the time at which all are removed', { remove_at: fromNow(-5) }, {}],
])('a token is refused %s', async (_, token, room) => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, ...room })
  const refused = await refusalOf({ room_name, ...token })
  expect(refused.code).toBe(AUTHENTICATION_FAILED)
  expect(await deployment.rest.sessionsOf(room_name)).toEqual([])
})

test('a token inside both windows is let in', async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, join_from: fromNow(-60), join_until: fromNow(600) })
  const window = { join_from: fromNow(-30), join_until: fromNow(60) }
  const red = await deployment.enter(RED, { room_name, ...window })
  await red.moreFrames(3)
})

test('a token that nobody signed is refused', async () => {
  const participant = await deployment.open(RED)
  const room_name = deployment.roomName()
  const signed = await deployment.rest.createRoomToken({ room_name })
  const [header, payload, signature = ''] = signed.split('.')
  const flipped = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
  const refused = await participant.refusalOf(participant.join([header, payload, flipped].join('.')))
  expect(refused.code).toBe(AUTHENTICATION_FAILED)
})

test('a room is created by the join, unless the token forbids it', async () => {
  const room_name = deployment.roomName()
  const refused = await refusalOf({ room_name, auto_create_room: false })
  expect(refused.code).toBe(AUTHENTICATION_FAILED)
  expect((await deployment.rest.send('GET', `/rooms/${room_name}`)).status).toBe(404)
  const red = await deployment.enter(RED, { room_name, room_display_name: 'Made by a join' })
  const { status, body } = await deployment.rest.send<Record<string, unknown>>('GET', `/rooms/${room_name}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: room_name, display_name: 'Made by a join' })
  await red.moreFrames(3)
})

test('a full room refuses members, not audience, and takes one again after one left', async () => {
  const room_name = deployment.roomName()
  await deployment.rest.createRoom({ name: room_name, max_members: 1 })
  const green = await deployment.enter(GREEN, { room_name })
  const refused = await refusalOf({ room_name })
  expect(refused.code).toBe(ROOM_FULL)
  const blue = await deployment.enter(BLUE, { room_name, join_as: 'audience' })
  await blue.moreFrames(3)
  await green.leave()
  const red = await deployment.enter(RED, { room_name })
  await seesEachInItsTile(red, seatsOf([[red, RED]]))
})

test('audience sees and hears, has no tile and sends nothing', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  const permissions = ['room.self.audio_mute', 'room.recording']
  const audience = await deployment.enter(BLUE, { room_name, join_as: 'audience', permissions })
  expect(audience.joinedAs?.permissions).toEqual([])
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await seesEachInItsTile(audience, seats)
  await hears(audience, [RED, GREEN], [BLUE])
  await hears(red, [GREEN], [RED, BLUE])
  expect(await audience.ask('sentVideo')).toBeNull()
  const { total } = (
    await red.events.waitFor<{ total: number }>('room.audienceCount', {
      right: (params) => params.total === 1,
    })
  ).params
  expect(total).toBe(1)
  expect((await audience.refusalOf(audience.call('startRecording'))).code).toBe('403')
})

test('audience needs no leave to use a camera, and gets in every time', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  // Such browsers hide their addresses, so they connect in a different way.
  for (let time = 0; time < 3; time++) {
    const audience = await deployment.enter(
      BLUE,
      { room_name, join_as: 'audience' },
      { withoutDevices: true },
    )
    await seesEachInItsTile(audience, seatsOf([[red, RED]]))
    await audience.leave()
  }
})

test('media_allowed decides what is sent and received', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name, media_allowed: 'audio-only' })
  await hears(green, [RED], [GREEN])
  await hears(red, [GREEN], [RED])
  expect(await green.ask('receivedVideo')).toBeNull()
  expect(await green.ask('sentVideo')).toBeNull()
  const blue = await deployment.enter(BLUE, { room_name, media_allowed: 'video-only' })
  await blue.moreFrames(3)
  await hears(red, [GREEN], [RED, BLUE])
  expect((await blue.spectrum([RED.toneHz])).tones[0]).toBe(-200)
})
