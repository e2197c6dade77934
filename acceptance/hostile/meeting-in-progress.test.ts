import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { useDeployment } from '../harness/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const deployment = useDeployment({ name: 'hostile-nothing', participantsLive: 'for all tests' })
const meeting = useMeetingInProgress(deployment)

test('a meeting goes on while nothing is done to it', async () => {
  await meeting.goesOnDuring(() => delay(2000))
})

test('a media worker that stands still for a second is noticed', async () => {
  const workers = (await deployment.server.mediaWorkers()).map(({ pid }) => pid)
  const standStill = meeting.goesOnDuring(async () => {
    for (const pid of workers) process.kill(pid, 'SIGSTOP')
    await delay(1000)
    for (const pid of workers) process.kill(pid, 'SIGCONT')
  })
  await expect(standStill).rejects.toThrow(/longest gap/)
})
