import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { meetingOfTwo } from '../faults/meeting-on-the-page.ts'
import { administer } from '../testing/administration.ts'
import { eventually } from '../testing/eventually.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import type { ServerProcess } from '../testing/server-process.ts'
import { asDeployment } from './as-deployment.ts'
import { enterAgain } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'
import { takeGaps, watchGaps } from './watched-page.ts'
import { expectWhole } from './whole-recording.ts'

const DRAIN_SECONDS = 4
/** What a drain may cost a meeting. A room that is not released, but expires, takes longer. */
const LONGEST_GAP_MS = 3000

const store = await ObjectStoreServer.start()
let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-rolling', {
    PARLEY_DRAIN_SECONDS: String(DRAIN_SECONDS),
    PARLEY_SESSION_GRACE_SECONDS: '1',
    ...store.env,
  })
})
afterAll(async () => {
  await all?.stop()
  await store.stop()
})

const deployment = asDeployment(() => all)
const { visitor, join } = usePageVisitors(deployment, 'cluster-rolling')
const watchedVisitor = async () => {
  const page = await visitor()
  await watchGaps(page)
  return page
}

const tokenFor = (room_name: string) => all.rest.createRoomToken({ room_name, user_name: 'Newcomer' })

/** The ways to have a node drain. Each resolves once it has ended. */
const DRAINS: readonly [string, (node: ServerProcess) => Promise<unknown>][] = [
  ['SIGTERM', async ({ pid }) => process.kill(pid, 'SIGTERM')],
  ['parley drain', (node) => administer(node, 'drain')],
]

/** Somebody new comes to a draining node. @returns the node that the new room began on */
async function newcomerAt(draining: string, room: string): Promise<string> {
  const { client } = await enterAgain(all.urlOf(draining), await tokenFor(room), 0)
  const owner = await all.ownerOf(room)
  client.socket.close(1001)
  return owner
}

test('a meeting that is recorded goes on while all nodes are drained and started again, one after the other', {
  timeout: 240_000,
}, async () => {
  const meeting = await meetingOfTwo(deployment, { visitor: watchedVisitor, join }, { record_on_start: true })
  const { ada, grace, roomName } = meeting
  const first = await all.ownerOf(roomName)
  const sessionsSeen = new Set([meeting.sessionId])
  for (const [index, name] of [first, ...all.names.filter((one) => one !== first)].entries()) {
    const node = all.node(name)
    const owned = (await all.ownerOf(roomName)) === name
    await Promise.all([ada, grace].map(takeGaps))
    const [way, drain] = DRAINS[index % DRAINS.length] as (typeof DRAINS)[number]
    const linesBefore = node.logLines().length
    const ended = Promise.all([node.ended(), drain(node)])
    await eventually(
      'the node drains',
      async () => node.logLines().slice(linesBefore),
      (lines) => lines.some((line) => line.includes('begins no more meetings')),
    )
    const [during] = await all.rest.sessionsOf(roomName)
    expect(await newcomerAt(name, `new-${name}`)).not.toBe(name)
    // The meeting itself stays until the deadline, and people still come into it.
    const late = await enterAgain(all.urlOf(name), await tokenFor(roomName), 0)
    expect(late.sessionId).toBe(during?.id)
    late.client.socket.close(1001)
    expect((await ended)[0]).toBe(0)

    await eventually(
      'both are in the room',
      async () => {
        const [session] = await all.rest.sessionsOf(roomName)
        const members = session?.status === 'in-progress' ? await all.rest.members(session.id) : []
        return members.flatMap(({ name, leave_time }) => (leave_time === null ? name : [])).sort()
      },
      // The seat of somebody whose socket is gone is kept for a while.
      (names) => names.filter((name) => name !== 'Newcomer').join() === 'Ada,Grace',
    )
    await Promise.all([picturePlays(ada), picturePlays(grace)])
    await Promise.all([ada, grace].map((page) => button(page, 'Leave the room').waitFor()))
    expect(await all.ownerOf(roomName)).not.toBe(name)
    const [session] = await all.rest.sessionsOf(roomName)
    sessionsSeen.add(session?.id ?? '')
    const [{ pictureMs }, { pictureMs: hers, soundMs }] = [await takeGaps(ada), await takeGaps(grace)]
    console.log(
      `${way} of ${name}, ${owned ? 'its owner' : 'another node'}: picture ${pictureMs} and ${hers} ms, sound ${soundMs} ms`,
    )
    expect(Math.max(pictureMs, hers, soundMs)).toBeLessThan(LONGEST_GAP_MS)
    await node.launch()
  }
  await button(grace, 'Leave the room').click()
  await button(ada, 'Leave the room').click()
  for (const sessionId of sessionsSeen) {
    const [recording, ...more] = await all.rest.sessionRecordings(sessionId)
    expect(more).toEqual([])
    const { durationMs } = await expectWhole(all.rest, recording?.id ?? '')
    console.log(`recorded ${Math.round(durationMs)} ms`)
  }
  expect(await all.rest.sessionsOf(roomName)).toHaveLength(sessionsSeen.size)
})
