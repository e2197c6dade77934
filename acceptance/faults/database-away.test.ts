import { afterAll, expect, test } from 'vitest'
import { temporaryCluster } from '../../server/src/storage/postgres/temporary-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { BLUE, useDeployment } from '../harness/use-deployment.ts'
import { useMeetingInProgress } from '../hostile/meeting-in-progress.ts'

/** How long PostgreSQL is away, in seconds. The longer ones are for `PARLEY_LONG_FAULTS=1`. */
const AWAY_SECONDS = process.env.PARLEY_LONG_FAULTS === '1' ? [5, 20, 75] : [5]

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

test.each(AWAY_SECONDS)(
  'a session that ends while PostgreSQL is away for %i s is completed when it is back',
  {
    timeout: 240_000,
  },
  async (seconds) => {
    const { rest, server } = deployment
    const room_name = deployment.roomName()
    await rest.createRoom({ name: room_name, record_on_start: true })
    // Browsers start before and after: on a small machine they alone can make pictures wait.
    const blue = await deployment.enter(BLUE, { room_name })
    const { roomSessionId } = blue
    await eventually(
      'the recording that runs',
      () => rest.sessionRecordings(roomSessionId),
      ([first]) => first?.started_at != null,
    )
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
      await eventually(
        'the time that it is away',
        async () => Date.now() - stoppedAtMs,
        (awayMs) => awayMs >= seconds * 1000,
        { timeoutMs: seconds * 1000 + 5000 },
      )
      await cluster.start()
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
    })
    const back = await deployment.enter(BLUE, { room_name })
    expect(back.roomSessionId).not.toBe(roomSessionId)
    await back.leave()
  },
)
