import { afterAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { Rest } from '../testing/rest.ts'
import { ServerProcess } from '../testing/server-process.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { codes, readiness } from './readiness.ts'
import { enterRecordedRoom } from './recorded-room.ts'
import { SmallDisk } from './small-disk.ts'
import { expectRefusedWrites, SERVER_ON_BAD_DISK } from './unwritable-disk.ts'

const TIMEOUT = { timeout: 120_000 }
const disk = await SmallDisk.mount(64)
const deployment = useDeployment({
  name: 'disk-full',
  dataDir: disk.folder,
  env: SERVER_ON_BAD_DISK,
})
afterAll(() => disk.unmount())

test('a disk that is full costs nothing but what it cut off, and no restart', TIMEOUT, async () => {
  const { rest } = deployment
  const { member: red, roomName: room_name, recordingId } = await enterRecordedRoom(deployment, RED)
  const { roomSessionId } = red
  await timePasses(4000, 'some seconds of media are recorded')
  await disk.fill()
  await expectRefusedWrites(deployment, 'disk_full')

  // The server must not admit anybody whom it cannot record in the history.
  const green = await deployment.open(GREEN)
  const token = await rest.createRoomToken({ room_name, user_name: 'green' })
  const refused = await green.refusalOf(green.join(token))
  expect(String(refused.code)).toBe('503')

  // The interrupted recording and the end of the session are stored as soon as there is space.
  await red.leave()
  const leftAtMs = Date.now()
  await timePasses(3000, 'the session would have ended')
  await disk.empty()
  const session = await eventually(
    'the completed session',
    () => rest.session(roomSessionId),
    ({ status }) => status === 'completed',
  )
  expect(Date.parse(session.end_time ?? '') - leftAtMs).toBeLessThan(3000)
  const kept = await eventually(
    'the completed recording',
    () => rest.recording(recordingId),
    ({ status }) => status === 'completed',
  )
  expect(kept.duration).toBeGreaterThan(0)
  const events = await rest.recordingEvents(kept.id)
  expect(events.find(({ name }) => name === 'recording.ended')).toMatchObject({ level: 'error' })
  expect((await rest.members(roomSessionId)).map(({ name }) => name)).toEqual([RED.name])
  const back = await deployment.enter(GREEN, { room_name })
  expect(back.roomSessionId).not.toBe(roomSessionId)
  await eventually(
    'the server that is ready',
    () => readiness(rest),
    ({ status }) => status === 'ready',
  )
})

test('a disk with little room says so early, and takes no recordings', TIMEOUT, async () => {
  const small = await SmallDisk.mount(64)
  const env = { PARLEY_MEDIA_WORKERS: '1', PARLEY_MIN_FREE_MB: '200' }
  const server = await ServerProcess.start('disk-low', env, small.folder)
  const rest = new Rest(server.access)
  try {
    const { status, warnings } = await readiness(rest)
    expect(status).toBe('ready')
    expect(codes(warnings)).toEqual(['disk_low'])
  } finally {
    await rest.close()
    await server.stop()
    await server.remove()
    await small.unmount()
  }
})
