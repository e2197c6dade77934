import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectToGoOn, meetingOfTwo, toldToGoOn } from '../faults/meeting-on-the-page.ts'
import { usePageVisitors } from '../testing/page-visitors.ts'
import { asDeployment } from './as-deployment.ts'
import { ThreeNodes } from './three-nodes.ts'

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-pages')
})
afterAll(() => all?.stop())

const deployment = asDeployment(() => all)
const visitors = usePageVisitors(deployment, 'cluster-pages')

test('a meeting whose node is killed goes on at another one within ten seconds', {
  timeout: 120_000,
}, async () => {
  const meeting = await meetingOfTwo(deployment, visitors)
  const owner = await all.ownerOf(meeting.roomName)
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  const killedAtMs = Date.now()
  await all.node(owner).killEverything()
  console.log(`back ${Math.max(...(await back)) - killedAtMs} ms after the end of the node`)
  await expectToGoOn(deployment, meeting)
  expect(await all.ownerOf(meeting.roomName)).not.toBe(owner)
  await all.node(owner).launch()
})

test('a meeting goes on at another node when its own is stopped', { timeout: 120_000 }, async () => {
  const meeting = await meetingOfTwo(deployment, visitors)
  const owner = await all.ownerOf(meeting.roomName)
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  const toldAtMs = Date.now()
  process.kill(all.node(owner).pid, 'SIGTERM')
  console.log(`back ${Math.max(...(await back)) - toldAtMs} ms after SIGTERM`)
  await expectToGoOn(deployment, meeting)
  expect(await all.ownerOf(meeting.roomName)).not.toBe(owner)
})
