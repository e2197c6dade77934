import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { frameTimes, probe } from '../testing/media-file.ts'
import { freePort } from '../testing/server-process.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { busyCamera, FULL_WIDTH, WAY, WIDE, watchBottleneck, widthAt } from './bottleneck.ts'
import { LossyLink } from './lossy-link.ts'

const link = await LossyLink.open()
const port = await freePort()
const deployment = useDeployment({
  name: 'bottleneck',
  env: {
    PARLEY_PORT: String(port),
    PARLEY_PUBLIC_URL: `https://${link.nearAddress}:${port}`,
    PARLEY_ANNOUNCED_IP: link.nearAddress,
  },
})
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'parley-bottleneck-'))
})
afterAll(async () => {
  await link.close()
  await rm(directory, { recursive: true })
})

test('a viewer behind a bottleneck sees and hears, and nobody else notices', {
  timeout: 240_000,
}, async () => {
  const room_name = deployment.roomName()
  link.spoil(WAY, WIDE)
  const near = await deployment.enter(
    GREEN,
    { room_name, permissions: ['room.recording'] },
    { microphone: 'speech', cameraHeight: 360, cameraFile: await busyCamera(directory) },
  )
  const far = await deployment.enter(
    RED,
    { room_name, join_as: 'audience' },
    { namespace: link.namespace, withoutDevices: true },
  )
  await far.moreFrames(40)
  const { id } = await near.call<{ id: string }>('startRecording')
  const seen = await watchBottleneck(link, near, far)
  const nearWidth = await widthAt(near)
  await near.onRecording(id, 'stop')
  const { uri } = await eventually(
    'the completed recording',
    () => deployment.rest.recording(id),
    ({ status }) => status === 'completed',
  )
  const file = path.join(directory, 'recording.mp4')
  await writeFile(file, (await deployment.rest.download(uri ?? '')).body)

  const told = JSON.stringify(seen)
  process.stdout.write(`${told}\n`)
  const { stolenShare } = seen
  const fewer = 1 - Math.min(0.7, stolenShare)
  expect.soft(seen.downAfterMs, told).toBeLessThan(3000 * (1 + stolenShare))
  expect.soft(seen.changes, told).toBe(2)
  expect.soft(seen.framesPerSecond, told).toBeGreaterThan(10 * fewer)
  const mayBeConcealed = seen.concealedBefore + stolenShare * 0.2
  expect.soft(seen.concealed, told).toBeLessThan(mayBeConcealed + 0.02)
  expect.soft(seen.concealedAtAll, told).toBeLessThan(mayBeConcealed + 0.06)
  expect.soft(nearWidth, told).toBe(FULL_WIDTH)
  expect.soft(seen.nearFramesPerSecond, told).toBeGreaterThan(14 * fewer)
  const { video, durationSeconds } = await probe(file)
  expect(video).toMatchObject({ width: FULL_WIDTH, height: 720 })
  expect((await frameTimes(file)).length / durationSeconds).toBeGreaterThan(14 * fewer)
})
