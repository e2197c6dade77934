import { expect, test } from 'vitest'
import { gone } from '../testing/processes.ts'
import { seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'
import { expectRecordingKept, expectSessionCompleted, recordedMeeting } from './kept-recording.ts'

const TIMEOUT = { timeout: 120_000 }
const deployment = useDeployment({ name: 'server-killed' })

async function expectJoinable(roomName: string): Promise<void> {
  const back = await deployment.enter(GREEN, { room_name: roomName })
  await seesEachInItsTile(back, seatsOf([[back, GREEN]]))
  await back.leave()
}

test('after SIGKILL of everything, the next start completes what was cut off', TIMEOUT, async () => {
  const meeting = await recordedMeeting(deployment)
  const killedAtMs = Date.now()
  await deployment.server.killEverything()
  await deployment.server.launch()
  await expectSessionCompleted(deployment.rest, meeting, killedAtMs)
  await expectRecordingKept(deployment.rest, meeting, killedAtMs)
  await expectJoinable(meeting.roomName)
})

test('media workers end by themselves when only the server process is killed', TIMEOUT, async () => {
  const meeting = await recordedMeeting(deployment)
  const workers = (await deployment.server.mediaWorkers()).map(({ pid }) => pid)
  expect(workers.length).toBeGreaterThan(0)
  const killedAtMs = Date.now()
  await deployment.server.killMainProcess()
  await gone(workers)
  await deployment.server.launch()
  await expectSessionCompleted(deployment.rest, meeting, killedAtMs)
  await expectRecordingKept(deployment.rest, meeting, killedAtMs)
  await expectJoinable(meeting.roomName)
})

test('Ctrl-C ends sessions and finishes recordings before the server exits', TIMEOUT, async () => {
  const meeting = await recordedMeeting(deployment)
  const stoppedAtMs = Date.now()
  expect(await deployment.server.stop()).toBe(0)
  await meeting.red.events.waitFor('room.left')
  await deployment.server.launch()
  await expectSessionCompleted(deployment.rest, meeting, stoppedAtMs)
  await expectRecordingKept(deployment.rest, meeting, stoppedAtMs)
})
