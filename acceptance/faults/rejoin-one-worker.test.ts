import { expect, test } from 'vitest'
import { usePageVisitors } from '../harness/page-visitors.ts'
import { killProcesses } from '../harness/processes.ts'
import { useDeployment } from '../harness/use-deployment.ts'
import { expectToGoOn, meetingOfTwo, toldToGoOn } from './meeting-on-the-page.ts'

const deployment = useDeployment({ name: 'rejoin-one-worker', env: { PARLEY_MEDIA_WORKERS: '1' } })
const visitors = usePageVisitors(deployment, 'rejoin-one-worker')

test('a meeting whose only media worker was killed goes on within three seconds', async () => {
  const meeting = await meetingOfTwo(deployment, visitors)
  const [worker] = await deployment.server.mediaWorkers()
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  const killedAtMs = Date.now()
  killProcesses([worker?.pid ?? 0])
  const tookMs = Math.max(...(await back)) - killedAtMs
  console.log(`back ${tookMs} ms after the end of the only media worker`)
  await expectToGoOn(deployment, meeting)
  expect(tookMs).toBeLessThan(3000)
  expect(visitors.complaints).toEqual([])
})
