import { expect, test } from 'vitest'
import { throughout } from '../testing/eventually.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const deployment = useDeployment({ name: 'hostile-nothing', participantsLive: 'for all tests' })
const meeting = useMeetingInProgress(deployment)

test('a meeting goes on while nothing is done to it', async () => {
  await meeting.goesOnDuring(async () => {
    for (const member of meeting.members) await member.moreFrames(20)
  })
})

test('a media worker that stands still for three seconds is noticed', async () => {
  const workers = (await deployment.server.mediaWorkers()).map(({ pid }) => pid)
  const standStill = meeting.goesOnDuring(async () => {
    for (const pid of workers) process.kill(pid, 'SIGSTOP')
    const answers = () => deployment.rest.send('GET', '/healthz')
    await throughout('the server', 3000, answers, ({ status }) => status === 200)
    for (const pid of workers) process.kill(pid, 'SIGCONT')
  })
  await expect(standStill).rejects.toThrow(/longest gap/)
})
