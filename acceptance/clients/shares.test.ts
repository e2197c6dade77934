import { expect, test } from 'vitest'
import type { MemberEvent } from '../harness/participant.ts'
import { hears, seatsOf, seesEachInItsTile } from '../harness/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../harness/use-deployment.ts'

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
