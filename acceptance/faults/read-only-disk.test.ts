import { afterAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { useMeetingInProgress } from '../hostile/meeting-in-progress.ts'
import { eventually } from '../testing/eventually.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { ReadOnlyDisk } from './read-only-disk.ts'
import { enterRecordedRoom } from './recorded-room.ts'
import { expectRefusedWrites, SERVER_ON_BAD_DISK } from './unwritable-disk.ts'

const TIMEOUT = { timeout: 120_000 }
const disk = await ReadOnlyDisk.mount(256)
const deployment = useDeployment({
  name: 'read-only-disk',
  dataDir: disk.folder,
  env: SERVER_ON_BAD_DISK,
  participantsLive: 'for all tests',
})
const meeting = useMeetingInProgress(deployment)
afterAll(() => disk.unmount())

/** Checks what a server that cannot write still does: it refuses writes with a clear error, and answers reads. */
async function expectClearRefusals(): Promise<void> {
  await expectRefusedWrites(deployment, 'disk_unwritable')
  expect((await deployment.rest.send('GET', '/rooms')).status).toBe(200)
}

async function expectCompleted(roomSessionId: string, leftAtMs: number): Promise<void> {
  const session = await eventually(
    'the completed session',
    () => deployment.rest.session(roomSessionId),
    ({ status }) => status === 'completed',
    { timeoutMs: 30_000 },
  )
  expect(Math.abs(Date.parse(session.end_time ?? '') - leftAtMs)).toBeLessThan(5000)
}

async function expectRecordingCompleted(recordingId: string): Promise<void> {
  const { duration } = await eventually(
    'the completed recording',
    () => deployment.rest.recording(recordingId),
    ({ status }) => status === 'completed',
    { timeoutMs: 30_000 },
  )
  expect(duration).toBeGreaterThan(0)
}

test('a data folder that is read-only for a while stops no meeting and loses nothing', TIMEOUT, async () => {
  const { rest, server } = deployment
  const { member: blue, recordingId } = await enterRecordedRoom(deployment, BLUE)
  const { roomSessionId } = blue
  const recorder = await deployment.enter(GREEN, {
    room_name: meeting.roomName,
    permissions: ['room.recording'],
  })
  // Browsers that have just started take processor time from the meeting.
  await blue.moreFrames(60)
  const leftAtMs = await meeting.goesOnDuring(async () => {
    try {
      await disk.protect()
      await expectClearRefusals()
      const refused = await recorder.refusalOf(recorder.call('startRecording'))
      expect(String(refused.code)).toBe('507')
      expect(refused.message).toContain('takes no files')
      await blue.leave()
      const nowMs = Date.now()
      await timePasses(2500, 'the server looks at its disk twice')
      return nowMs
    } finally {
      await disk.unprotect()
    }
  })
  await expectCompleted(roomSessionId, leftAtMs)
  await expectRecordingCompleted(recordingId)
  await eventually(
    'readiness',
    () => server.readyStatus(),
    (status) => status === 200,
  )
  // What happened meanwhile is written as soon as the disk takes it, which may be after the server is ready.
  const refusal = await eventually(
    'the event of the refusal',
    async () =>
      (await rest.sessionEvents(recorder.roomSessionId)).find(({ name }) => name === 'recording.refused'),
    (event) => event !== undefined,
  )
  expect(refusal?.payload).toMatchObject({ reason: 'disk_unwritable' })
  await recorder.call('startRecording')
  const { status } = await rest.send('POST', '/rooms', { name: deployment.roomName() })
  expect(status).toBe(200)
  await recorder.leave()
})

test('a disk that Linux makes read-only since it has faults stops no meeting', TIMEOUT, async () => {
  const { rest, server } = deployment
  const { member: blue, recordingId } = await enterRecordedRoom(deployment, BLUE)
  const { roomSessionId } = blue
  await blue.moreFrames(60)
  await meeting.goesOnDuring(async () => {
    await disk.fail()
    await expectClearRefusals()
    await blue.leave()
  })
  const leftAtMs = Date.now()
  // The disk can only be mounted again during a restart. The restart completes the ends that could not be written.
  expect(await server.stop()).toBe(0)
  await disk.repair()
  await server.launch()
  await expectCompleted(roomSessionId, leftAtMs)
  await eventually(
    'the completed recording, of which the disk may have lost what it had not written yet',
    () => rest.recording(recordingId),
    ({ status }) => status === 'completed',
    { timeoutMs: 30_000 },
  )
  const made = await rest.send('POST', '/rooms', { name: deployment.roomName() })
  expect(made.status).toBe(200)
  const red = await deployment.enter(RED, { room_name: meeting.roomName })
  await red.moreFrames(5)
})
