import { expect, test } from 'vitest'
import { gone, killProcesses } from '../harness/processes.ts'
import { seatsOf, seesEachInItsTile } from '../harness/seen-and-heard.ts'
import { RED, useDeployment } from '../harness/use-deployment.ts'
import { expectRecordingKept, expectSessionCompleted, recordedMeeting } from './kept-recording.ts'

// One worker, so that it is the one that carries the room.
const deployment = useDeployment({ name: 'media-worker-killed', env: { PARLEY_MEDIA_WORKERS: '1' } })

test('a killed media worker costs its rooms a new join and nothing else', { timeout: 120_000 }, async () => {
  const { rest, server } = deployment
  const meeting = await recordedMeeting(deployment)
  const { red, green, roomName: room_name, roomSessionId } = meeting
  const workers = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(workers).toHaveLength(1)
  const killedAtMs = Date.now()
  killProcesses(workers)
  await gone(workers)

  // The interface goes on answering, at once.
  const answeredMs: number[] = []
  for (let i = 0; i < 10; i++) {
    const askedMs = performance.now()
    expect((await rest.send('GET', `/rooms/${room_name}`)).status).toBe(200)
    answeredMs.push(performance.now() - askedMs)
  }
  expect(Math.max(...answeredMs)).toBeLessThan(1000)

  // The legs end cleanly at their clients.
  for (const each of [red, green]) {
    await each.events.waitFor('room.left')
    await each.events.waitFor('destroy')
  }

  // The session is completed with an event that says why.
  await expectSessionCompleted(rest, meeting, killedAtMs)
  const faults = (await rest.sessionEvents(roomSessionId)).filter(({ level }) => level !== 'info')
  expect(faults.map(({ name, payload }) => `${name} ${JSON.stringify(payload)}`).join()).toMatch(/worker/i)

  // A new worker takes its place, and the same room can be joined again at once.
  const back = await deployment.enter(RED, { room_name })
  expect(back.roomSessionId).not.toBe(roomSessionId)
  await seesEachInItsTile(back, seatsOf([[back, RED]]))
  const replaced = (await server.mediaWorkers()).map(({ pid }) => pid)
  expect(replaced).toHaveLength(1)
  expect(replaced).not.toEqual(workers)
  expect(await server.readyStatus()).toBe(200)

  await expectRecordingKept(rest, meeting, killedAtMs)
})
