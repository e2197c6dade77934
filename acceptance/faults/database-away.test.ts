import { afterAll, expect, test } from 'vitest'
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { useMeetingInProgress } from '../hostile/meeting-in-progress.ts'
import { eventually, within } from '../testing/eventually.ts'
import type { Answer } from '../testing/rest.ts'
import { BLUE, useDeployment } from '../testing/use-deployment.ts'
import { codes, readiness } from './readiness.ts'
import { enterRecordedRoom } from './recorded-room.ts'

/** How long PostgreSQL is away, in seconds. */
const AWAY_SECONDS = [5, 20, 75]
/** The longest time that a request may wait for a database that does not answer, in milliseconds. */
const ANSWERED_MS = 13_000

const cluster = await temporaryCluster()
const deployment = useDeployment({
  name: 'database-away',
  env: {
    PARLEY_DATABASE_URL: await cluster.createDatabase(),
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_SESSION_GRACE_SECONDS: '1',
  },
  participantsLive: 'for all tests',
})
const meeting = useMeetingInProgress(deployment)
afterAll(() => cluster.remove())

/** Checks that the database, once it is back, contains everything that happened in the meantime. */
async function expectAllWell(roomSessionId: string, leftAtMs: number): Promise<void> {
  const { rest, server } = deployment
  const session = await eventually(
    'the completed session',
    () => rest.session(roomSessionId),
    ({ status }) => status === 'completed',
    { timeoutMs: 30_000 },
  )
  expect(Math.abs(Date.parse(session.end_time ?? '') - leftAtMs)).toBeLessThan(5000)
  await eventually(
    'the completed recording',
    () => rest.sessionRecordings(roomSessionId),
    ([first]) => first?.status === 'completed',
  )
  await eventually(
    'readiness',
    () => server.readyStatus(),
    (status) => status === 200,
  )
}

/** Sends requests at once that need the database, for reading and for writing. */
function askAll(): Promise<Answer<unknown>[]> {
  const { rest } = deployment
  const lists = ['/rooms', '/room_sessions', '/room_recordings'].map((path) => rest.send('GET', path))
  const changes = [rest.send('POST', '/rooms', { name: deployment.roomName() })]
  return Promise.all([...lists, ...changes])
}

function expectRefused(answers: readonly Answer<unknown>[]): void {
  for (const { status, headers, body } of answers) {
    expect(body).toMatchObject({ errors: [{ code: 'internal_error_occurred' }] })
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  }
}

test('PostgreSQL that hangs stops no meeting, and nobody waits for it for ever', {
  timeout: 120_000,
}, async () => {
  const { rest } = deployment
  const { member: blue } = await enterRecordedRoom(deployment, BLUE)
  const { roomSessionId } = blue
  // A browser that has just started takes processor time from the meeting.
  await blue.moreFrames(60)
  await meeting.goesOnDuring(async () => {
    // This opens a connection beforehand. No answer will come on it.
    await askAll()
    cluster.pause()
    const answers = within('the answers', ANSWERED_MS, askAll())
    answers.catch(() => {})
    await blue.leave()
    const leftAtMs = Date.now()
    const { reasons } = await eventually(
      'the reason',
      () => readiness(rest),
      ({ status }) => status === 'unavailable',
    )
    expect(codes(reasons)).toEqual(['database_slow'])
    expect((await rest.send('GET', '/healthz')).status).toBe(200)
    expectRefused(await answers)
    expect((await readiness(rest)).status).toBe('unavailable')
    cluster.resume()
    await expectAllWell(roomSessionId, leftAtMs)
  })
})

test.each(AWAY_SECONDS)(
  'a session that ends while PostgreSQL is away for %i s is completed when it is back',
  {
    timeout: 240_000,
  },
  async (seconds) => {
    const { rest, server } = deployment
    // Browsers start before and after the outage: on a small machine their start alone can delay pictures.
    const { member: blue, roomName: room_name } = await enterRecordedRoom(deployment, BLUE)
    const { roomSessionId } = blue
    await meeting.goesOnDuring(async () => {
      await cluster.stop()
      const stoppedAtMs = Date.now()
      await blue.leave()
      const leftAtMs = Date.now()
      await eventually(
        'readiness',
        () => server.readyStatus(),
        (status) => status === 503,
      )
      expect((await rest.send('GET', '/healthz')).status).toBe(200)
      if (seconds >= 20) {
        const answer = await rest.send('GET', '/rooms')
        expect(answer.status).toBe(503)
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      }
      await timePasses(Math.max(0, stoppedAtMs + seconds * 1000 - Date.now()), 'the database is away')
      await cluster.start()
      await expectAllWell(roomSessionId, leftAtMs)
    })
    const back = await deployment.enter(BLUE, { room_name })
    expect(back.roomSessionId).not.toBe(roomSessionId)
    await back.leave()
  },
)
