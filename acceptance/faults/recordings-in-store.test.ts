import { access, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { eventually } from '../testing/eventually.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { expectRecordingKept, type RecordedMeeting, recordedMeeting } from './kept-recording.ts'

const TIMEOUT = { timeout: 120_000 }
/** What may be lost with the disk: fragments go to the store every two seconds, and the file is half a second behind. */
const LOST_WITH_DISK_MS = 4000

const store = await ObjectStoreServer.start()
const deployment = useDeployment({ name: 'recordings-in-store', env: store.env })
afterAll(() => store.stop())

const fileOf = ({ recordingId }: RecordedMeeting) =>
  path.join(deployment.server.dataDir, 'recordings', `${recordingId}.mp4`)

/** The recording is in the store and off the disk. */
async function stored(meeting: RecordedMeeting): Promise<void> {
  const isGone = () =>
    access(fileOf(meeting)).then(
      () => false,
      () => true,
    )
  await eventually('the recording in the store', isGone, (isThere) => isThere, { timeoutMs: 60_000 })
}

test('a recording whose machine and disk are lost is whole but for its last seconds', TIMEOUT, async () => {
  const meeting = await recordedMeeting(deployment)
  const killedAtMs = Date.now()
  await deployment.server.killEverything()
  await rm(fileOf(meeting))
  await deployment.server.launch()
  await expectRecordingKept(deployment.rest, meeting, killedAtMs, LOST_WITH_DISK_MS)
  await stored(meeting)
  await expectRecordingKept(deployment.rest, meeting, killedAtMs, LOST_WITH_DISK_MS)
})

test('a store that is killed while it is recorded gets the recording after a restart', TIMEOUT, async () => {
  const meeting = await recordedMeeting(deployment)
  await store.kill()
  const stoppedAtMs = Date.now()
  expect(await deployment.server.stop()).toBe(0)
  await deployment.server.launch()
  await expectRecordingKept(deployment.rest, meeting, stoppedAtMs)
  await store.run()
  await stored(meeting)
  await expectRecordingKept(deployment.rest, meeting, stoppedAtMs)
})
