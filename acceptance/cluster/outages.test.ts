import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { expectToGoOn, meetingOfTwo, toldToGoOn } from '../faults/meeting-on-the-page.ts'
import { eventually } from '../testing/eventually.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { asDeployment } from './as-deployment.ts'
import { enter, enterAgain, refusalAt } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'
import { takeGaps, watchGaps } from './watched-page.ts'
import { expectWhole, runningRecording } from './whole-recording.ts'
import { expectWrittenDown } from './written-down.ts'

const AWAY_MS = 8000
/** What may be lost with a machine: fragments go to the store every two seconds, and the file is half a second behind. */
const LOST_WITH_NODE_MS = 4000
const RECORDED = { record_on_start: true }

const store = await ObjectStoreServer.start()
let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-outages', { PARLEY_SESSION_GRACE_SECONDS: '1', ...store.env })
})
afterAll(async () => {
  await all?.stop()
  await store.stop()
})

const deployment = asDeployment(() => all)
const { visitor, join } = usePageVisitors(deployment, 'cluster-outages')
const watchedVisitor = async () => {
  const page = await visitor()
  await watchGaps(page)
  return page
}

const tokenFor = (room_name: string) => all.rest.createRoomToken({ room_name, user_name: 'Newcomer' })

test('a meeting goes on while PostgreSQL is killed and started again, and all of it is written down', {
  timeout: 120_000,
}, async () => {
  const { ada, grace, roomName, sessionId } = await meetingOfTwo(
    deployment,
    { visitor: watchedVisitor, join },
    RECORDED,
  )
  const recordingId = await runningRecording(all.rest, sessionId)
  const tokens = await Promise.all([tokenFor(roomName), tokenFor('elsewhere')])
  await Promise.all([ada, grace].map(takeGaps))
  await all.postgres.kill()
  const killedAtMs = Date.now()
  const refusals = await Promise.all(tokens.map((token) => refusalAt(all.url, token)))
  for (const message of refusals) expect(message).toMatch(/again/i)
  const rest = all.restOf('a')
  expect((await rest.send('GET', '/room_sessions')).status).toBe(503)
  await rest.close()
  await button(grace, 'Turn microphone on').click()
  await button(grace, 'Turn microphone off').waitFor()
  await timePasses(Math.max(0, killedAtMs + AWAY_MS - Date.now()), 'the database is away')
  const [{ pictureMs }, { pictureMs: hers, soundMs }] = [await takeGaps(ada), await takeGaps(grace)]
  console.log(`PostgreSQL away: picture stood for ${pictureMs} and ${hers} ms, sound for ${soundMs} ms`)
  await all.postgres.start()

  for (const [index, token] of tokens.entries()) {
    const { client, sessionId: entered } = await enterAgain(all.url, token)
    if (index === 0) expect(entered).toBe(sessionId)
    client.socket.close(1001)
  }
  await Promise.all([picturePlays(ada), picturePlays(grace)])
  await button(grace, 'Leave the room').click()
  await button(ada, 'Leave the room').click()
  await expectWrittenDown(all, { sessionId, roomName, recordingId, awayAtMs: killedAtMs })
})

test('a meeting is recorded while the store is killed and started again', { timeout: 120_000 }, async () => {
  const { ada, grace, roomName, sessionId } = await meetingOfTwo(deployment, { visitor, join }, RECORDED)
  const recordingId = await runningRecording(all.rest, sessionId)
  await timePasses(3000, 'a part of it is in the store')
  await store.kill()
  const { client, sessionId: entered } = await enter(all.url, await tokenFor(roomName))
  expect(entered).toBe(sessionId)
  client.socket.close(1001)
  await timePasses(AWAY_MS, 'the store is away')
  await Promise.all([picturePlays(ada), picturePlays(grace)])
  await store.run()
  await button(grace, 'Leave the room').click()
  await button(ada, 'Leave the room').click()
  const { durationMs } = await expectWhole(all.rest, recordingId)
  console.log(`recorded ${Math.round(durationMs)} ms`)
  await eventually(
    'the recording in the store',
    () => all.query(`select place from room_recordings where id = '${recordingId}'`),
    ([place]) => place === 'store',
    { timeoutMs: 60_000 },
  )
})

test('a recording whose node is killed is joined by another node, whole but for its last seconds', {
  timeout: 200_000,
}, async () => {
  const meeting = await meetingOfTwo(deployment, { visitor: watchedVisitor, join }, RECORDED)
  const { sessionId, roomName } = meeting
  const recordingId = await runningRecording(all.rest, sessionId)
  await timePasses(5000, 'it is recorded')
  const owner = await all.ownerOf(roomName)
  const { started_at } = await all.rest.recording(recordingId)
  const back = Promise.all([meeting.ada, meeting.grace].map(toldToGoOn))
  const killedAtMs = Date.now()
  await all.node(owner).killEverything()
  console.log(`back ${Math.max(...(await back)) - killedAtMs} ms after the end of the node`)
  await expectToGoOn(deployment, meeting)
  // The node does not come back, nor does its disk.
  const { durationMs } = await expectWhole(all.rest, recordingId, LOST_WITH_NODE_MS)
  const ranMs = killedAtMs - Date.parse(started_at ?? '')
  console.log(
    `ran ${ranMs} ms, kept ${Math.round(durationMs)} ms, complete ${Date.now() - killedAtMs} ms after`,
  )
  expect(durationMs).toBeGreaterThan(ranMs - LOST_WITH_NODE_MS)
  await all.node(owner).launch()
})
