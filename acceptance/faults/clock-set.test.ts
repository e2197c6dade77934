import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { useMeetingInProgress } from '../hostile/meeting-in-progress.ts'
import { eventually } from '../testing/eventually.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'
import { enterRecordedRoom } from './recorded-room.ts'

const HOUR_MS = 3_600_000
// Media workers cannot read files outside the program's own folder, and do not see the test's environment variables.
const results = path.resolve(import.meta.dirname, '../../test-results')
await mkdir(results, { recursive: true })
const folder = await mkdtemp(path.join(results, 'clock-'))
const file = path.join(folder, 'offset')
await writeFile(file, '0')
const preload = pathToFileURL(path.join(import.meta.dirname, 'set-clock.mjs'))
preload.searchParams.set('file', file)

const deployment = useDeployment({
  name: 'clock-set',
  env: {
    NODE_OPTIONS: `--import=${preload.href}`,
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_SESSION_GRACE_SECONDS: '1',
  },
  participantsLive: 'for all tests',
})
const meeting = useMeetingInProgress(deployment)
afterAll(() => rm(folder, { recursive: true }))

test.each([2, -2])(
  'a clock that is set by %i h changes no duration, and removes nobody',
  {
    timeout: 120_000,
  },
  async (hours) => {
    const { rest } = deployment
    await writeFile(file, '0')
    // Browsers start before and after the change: on a small machine their start alone can delay pictures.
    const settings = { remove_after_seconds_elapsed: 600 }
    const { member: blue, roomName: room_name } = await enterRecordedRoom(deployment, BLUE, settings)
    const { roomSessionId } = blue
    const enteredAtMs = Date.now()
    await meeting.goesOnDuring(async () => {
      await writeFile(file, String(hours * HOUR_MS))
      await blue.moreFrames(40)
      expect((await rest.members(roomSessionId)).map(({ leave_time }) => leave_time)).toEqual([null])
      await blue.leave()
      const lastedMs = Date.now() - enteredAtMs
      const session = await eventually(
        'the completed session',
        () => rest.session(roomSessionId),
        ({ status }) => status === 'completed',
      )
      const [recording] = await eventually(
        'the completed recording',
        () => rest.sessionRecordings(roomSessionId),
        ([first]) => first?.status === 'completed',
      )
      const [member] = await rest.members(roomSessionId)
      const between = (from?: string | null, to?: string | null) =>
        Date.parse(to ?? '') - Date.parse(from ?? '')
      for (const ms of [
        between(session.start_time, session.end_time),
        between(recording?.started_at, recording?.finished_at),
        between(member?.join_time, member?.leave_time),
      ]) {
        expect(ms).toBeGreaterThan(0)
        expect(ms).toBeLessThan(lastedMs + 20_000)
      }
    })
    // A token created at the new time is valid at once.
    const back = await deployment.enter(BLUE, { room_name })
    await back.leave()
  },
)
