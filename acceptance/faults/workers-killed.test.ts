import { expect, test } from 'vitest'
import type { Persona } from '../harness/colours.ts'
import { eventually } from '../harness/eventually.ts'
import { gone, killProcesses } from '../harness/processes.ts'
import { GREEN, RED, useDeployment } from '../harness/use-deployment.ts'

const RECORDED_MS = 3000
const deployment = useDeployment({ name: 'workers-killed', env: { PARLEY_MEDIA_WORKERS: '2' } })

async function recordedRoom(persona: Persona): Promise<{ room_name: string; id: string }> {
  const { rest } = deployment
  const room_name = deployment.roomName()
  await rest.createRoom({ name: room_name, record_on_start: true })
  const member = await deployment.enter(persona, { room_name })
  const [recording] = await eventually(
    'the recording that runs',
    () => rest.sessionRecordings(member.roomSessionId),
    ([first]) => first?.started_at != null,
  )
  return { room_name, id: recording?.id ?? '' }
}

test('recordings of workers that are killed at once are completed without a restart', {
  timeout: 120_000,
}, async () => {
  const { rest, server } = deployment
  const rooms = [await recordedRoom(RED), await recordedRoom(GREEN)]
  const ends = Date.now() + RECORDED_MS
  await eventually(
    'three seconds of media',
    async () => Date.now(),
    (now) => now >= ends,
  )
  const workers = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(workers).toHaveLength(2)
  killProcesses(workers)
  await gone(workers)
  for (const { id } of rooms) {
    const recording = await eventually(
      'the completed recording',
      () => rest.recording(id),
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
  const back = await deployment.enter(RED, { room_name: rooms[0]?.room_name ?? '' })
  expect(back.roomSessionId).toBeTruthy()
})
