import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const FRAMES_PER_SECOND = 30
const deployment = useDeployment({
  name: 'picture',
  env: { PARLEY_FPS: String(FRAMES_PER_SECOND), PARLEY_SESSION_GRACE_SECONDS: '1' },
})

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

test('packets and encodes are counted, those of legs that are gone included', async () => {
  const red = await deployment.enter(RED, { room_name: deployment.roomName() })
  await red.moreFrames(30)
  const total = async (name: string) => {
    const ofWorkers = await deployment.metric(`parley_media_worker_${name}_total`)
    return ofWorkers.reduce((sum, value) => sum + value, 0)
  }
  const names = ['packets_received', 'packets_sent', 'pictures', 'encodes', 'encode_seconds']
  const totals = () => Promise.all(names.map(total))
  await eventually('all are counted', totals, (seen) => seen.every((value) => value > 0))
  const before = await totals()
  await red.leave()
  await eventually(
    'nobody is in',
    () => deployment.metric('parley_media_worker_legs'),
    (legs) => legs.every((each) => each === 0),
  )
  const after = await totals()
  for (const [index, name] of names.entries()) {
    expect(after[index], name).toBeGreaterThanOrEqual(before[index] ?? Number.NaN)
  }
})

test('a room of 1080p has that picture, at the rate of the room', async () => {
  const room_name = deployment.roomName()
  const { fps } = await deployment.rest.createRoom({ name: room_name, quality: '1080p' })
  expect(fps).toBe(FRAMES_PER_SECOND)
  const red = await deployment.enter(RED, { room_name })
  await seesEachInItsTile(red, seatsOf([[red, RED]]))
  const rate = async () => {
    const before = await red.moreFrames(1)
    const startedMs = performance.now()
    const after = await red.moreFrames(30)
    expect([after.frameWidth, after.frameHeight]).toEqual([1920, 1080])
    return ((after.framesDecoded - before.framesDecoded) * 1000) / (performance.now() - startedMs)
  }
  await eventually(`${fps} frames a second`, rate, (seen) => Math.abs(seen - fps) < 6, {
    // Long enough for one undisturbed second, even on a busy machine.
    timeoutMs: 45_000,
  })
})

test('a camera is asked for no more than its tile needs', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name }, { cameraHeight: 720 })
  const cameraHeight = () => red.ask('cameraHeight')
  await eventually('the whole camera, for the whole canvas', cameraHeight, (height) => height === 720)
  const green = await deployment.enter(GREEN, { room_name })
  await eventually('a smaller picture, for half the canvas', cameraHeight, (height) => height === 360)
  await green.leave()
  await eventually('the whole camera again', cameraHeight, (height) => height === 720)
})
