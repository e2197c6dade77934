import { expect, test } from 'vitest'
import { eventually, throughout } from '../testing/eventually.ts'
import { seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

/** Longer than the time that a worker may be silent. */
const STANDSTILL_MS = 12_000
const HUNG_WORKER_REPLACED_WITHIN_MS = 20_000

const deployment = useDeployment({ name: 'standstill', env: { PARLEY_MEDIA_WORKERS: '2' } })

const workersNow = async () => (await deployment.server.mediaWorkers()).map(({ pid }) => pid).sort()

test('a main process that stood still keeps its workers and their rooms, and replaces one that hangs', async () => {
  const { server } = deployment
  const red = await deployment.enter(RED, { room_name: deployment.roomName() })
  await seesEachInItsTile(red, seatsOf([[red, RED]]))
  const before = await workersNow()
  expect(before).toHaveLength(2)

  process.kill(server.pid, 'SIGSTOP')
  // Sound and picture do not pass through the main process.
  const pictures = () => red.moreFrames(5).then(() => true)
  await throughout('pictures while the main process stands still', STANDSTILL_MS, pictures, (come) => come)
  process.kill(server.pid, 'SIGCONT')
  await eventually(
    'an answer',
    () => server.readyStatus(),
    (status) => status === 200,
  )
  // Each worker must send another report in each second. A worker that was killed by mistake would be gone by now.
  await throughout('the same workers', 2000, workersNow, (now) => now.join() === before.join())
  expect((await deployment.rest.session(red.roomSessionId)).status).toBe('in-progress')
  await red.moreFrames(5)

  const [hung = 0] = before
  process.kill(hung, 'SIGSTOP')
  await eventually('another worker', workersNow, (now) => now.length === 2 && !now.includes(hung), {
    timeoutMs: HUNG_WORKER_REPLACED_WITHIN_MS,
  })
})
