import { expect, test } from 'vitest'
import { SCREEN_COLOUR, SCREEN_FRAME_COLOUR } from '../page/drawn-screen.ts'
import type { Region, Rgb } from '../page/picture.ts'
import { nameOfColour } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import type { Layer, MemberEvent } from '../testing/published-client.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'shares' })

interface ListedMember {
  id: string
  type: string
  parent_id: string
}

test('a screen share and another camera are members of their own, and go with their page and their member', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await seesEachInItsTile(green, seats)

  await red.call('startScreenShare', { video: true })
  await red.call('addCamera', { video: true })
  const { members } = await green.call<{ members: ListedMember[] }>('getMembers')
  expect(members.map(({ type, parent_id }) => [type, parent_id])).toEqual([
    ['member', ''],
    ['member', ''],
    ['screen', red.memberId],
    ['device', red.memberId],
  ])
  await green.layoutOf(members.map(({ id }) => id))

  await red.reload()
  await red.join(red.token)
  await green.layoutOf([...seats.keys()])
  await seesEachInItsTile(green, seats)

  await red.call('startScreenShare', { video: true })
  const since = green.events.mark()
  await red.leave()
  const left = async (type: string) =>
    green.events.waitFor<MemberEvent>('member.left', { since, right: ({ member }) => member.type === type })
  await Promise.all([left('screen'), left('member')])
  await green.layoutOf([green.memberId])
})

test('a screen share is seen whole', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  await red.call('startScreenShare', { video: true })
  const { members } = await green.call<{ members: ListedMember[] }>('getMembers')
  const screenId = members.find(({ type }) => type === 'screen')?.id ?? ''
  const tile = (await green.layoutOf(members.map(({ id }) => id))).get(screenId) as Layer
  // A 4:3 picture in a 16:9 tile leaves an eighth free on each side.
  const part = (x: number, y: number, width: number, height: number): Region => ({
    x: tile.x + (x / 100) * tile.width,
    y: tile.y + (y / 100) * tile.height,
    width: (width / 100) * tile.width,
    height: (height / 100) * tile.height,
  })
  const edges = [part(30, 2, 40, 6), part(30, 92, 40, 6), part(14, 30, 3, 40), part(83, 30, 3, 40)]
  const beside = [part(2, 20, 8, 60), part(90, 20, 8, 60)]
  const nameOf = (colour: Rgb | null | undefined) => colour && nameOfColour(colour)
  const frameName = nameOfColour([...SCREEN_FRAME_COLOUR])
  await eventually(
    'the edges of the screen, what it shows, and nothing beside it',
    () => green.coloursAt([...edges, ...beside, part(40, 30, 20, 40)]),
    (colours) =>
      colours.slice(0, 4).every((colour) => nameOf(colour) === frameName) &&
      colours.slice(4, 6).every((colour) => colour && Math.max(...colour) < 50) &&
      nameOf(colours[6]) === nameOfColour([...SCREEN_COLOUR]),
  )
})

test('a share without its permission is refused', async () => {
  const red = await deployment.enter(RED, {
    room_name: deployment.roomName(),
    permissions: ['room.self.audio_mute'],
  })
  const refused = await red.refusalOf(red.call('startScreenShare', { video: true }))
  expect(refused.code).toBe('403')
  await red.moreFrames(3)
})

test('a member may change direction, hold, and send digits', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  await hears(green, [RED], [GREEN])
  await red.call('setAudioDirection', 'recvonly')
  await hears(green, [], [RED, GREEN])
  await red.call('setAudioDirection', 'sendrecv')
  await hears(green, [RED], [GREEN])
  await red.call('sendDigits', '12#')
  await red.call('hold')
  await red.call('unhold')
  await red.moreFrames(5)
})
