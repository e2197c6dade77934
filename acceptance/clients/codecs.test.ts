import { expect, test } from 'vitest'
import { hears, seatsOf, seesEachInItsTile } from '../harness/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../harness/use-deployment.ts'

const deployment = useDeployment({ name: 'codecs' })

test('a browser without H264 sees and is seen beside one that has it', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name }, { withoutH264: true })
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await Promise.all([red, green].map((each) => seesEachInItsTile(each, seats)))
  await Promise.all([hears(red, [GREEN], [RED]), hears(green, [RED], [GREEN])])
  expect((await red.moreFrames(20)).codec).toBe('video/H264')
  expect((await green.moreFrames(20)).codec).toBe('video/VP8')
  expect((await green.ask('sentVideo'))?.codec).toBe('video/VP8')
})
