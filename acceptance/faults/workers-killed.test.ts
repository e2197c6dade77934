import { expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { gone, killProcesses } from '../testing/processes.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { enterRecordedRoom } from './recorded-room.ts'

const RECORDED_MS = 3000
const deployment = useDeployment({ name: 'workers-killed', env: { PARLEY_MEDIA_WORKERS: '2' } })

test('recordings of workers that are killed at once are completed without a restart', {
  timeout: 120_000,
}, async () => {
  const { rest, server } = deployment
  const rooms = [await enterRecordedRoom(deployment, RED), await enterRecordedRoom(deployment, GREEN)]
  await timePasses(RECORDED_MS, 'it is recorded')
  const workers = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(workers).toHaveLength(2)
  killProcesses(workers)
  await gone(workers)
  for (const { recordingId } of rooms) {
    const recording = await eventually(
      'the completed recording',
      () => rest.recording(recordingId),
      ({ status }) => status === 'completed',
      { timeoutMs: 30_000 },
    )
    expect(recording.duration).toBeGreaterThan(0)
    expect(recording.size_in_bytes).toBeGreaterThan(0)
  }
  await eventually(
    'the server that is ready',
    () => server.readyStatus(),
    (status) => status === 200,
  )
  const back = await deployment.enter(RED, { room_name: rooms[0]?.roomName ?? '' })
  expect(back.roomSessionId).toBeTruthy()
})
