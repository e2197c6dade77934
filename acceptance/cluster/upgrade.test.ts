import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { ROOT } from '../testing/server-process.ts'
import { enterAgain, leave, type Person } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'
import { unpackVersionBefore } from './version-before.ts'
import { expectWhole, runningRecording } from './whole-recording.ts'

const ROOM = 'upgraded'
/** A recording is long enough then that something would be missing. */
const RECORDED_MS = 3000

const store = await ObjectStoreServer.start()
let program: string
let all: ThreeNodes
beforeAll(async () => {
  program = await unpackVersionBefore()
  const env = { PARLEY_DRAIN_SECONDS: '1', PARLEY_SESSION_GRACE_SECONDS: '1', ...store.env }
  all = await ThreeNodes.start('cluster-upgrade', env, { program })
})
afterAll(async () => {
  await all?.stop()
  await store.stop()
  if (program) await rm(program, { recursive: true })
})

const tokenFor = (room_name: string, user_name: string) =>
  all.rest.createRoomToken({ room_name, user_name, permissions: ['room.self.audio_mute'] })

/** Whichever nodes a room begins on and is entered by, it is one session, and any node acts on it. */
async function meetByEveryNode(stage: string): Promise<void> {
  for (const [index, name] of all.names.entries()) {
    const room = `${stage}-${name}`
    const ways = [...all.names.slice(index), ...all.names.slice(0, index)]
    const people: Person[] = []
    for (const way of ways) people.push(await enterAgain(all.urlOf(way), await tokenFor(room, way), 0))
    const [first] = people as [Person]
    expect(people.map(({ sessionId }) => sessionId)).toEqual(ways.map(() => first.sessionId))
    for (const { client, memberId: member_id, sessionId: room_session_id } of people) {
      await client.request('video.member.audio_mute', { room_session_id, member_id })
      for (const other of people) {
        await other.client.event('video.member.updated', {
          right: ({ member }) => (member as { id: string }).id === member_id,
        })
      }
    }
    for (const way of ways) {
      const rest = all.restOf(way)
      const path = `/api/dashboard/live_rooms/${first.sessionId}`
      const { status } = await rest.send('PUT', path, { locked: way === name })
      expect(status).toBe(200)
      await rest.close()
    }
    for (const person of people) await leave(person)
  }
}

test('nodes of the version before are replaced one by one under a meeting that is recorded', {
  timeout: 400_000,
}, async () => {
  await all.rest.createRoom({ name: ROOM, record_on_start: true })
  const tokens = [await tokenFor(ROOM, 'Ada'), await tokenFor(ROOM, 'Grace')]
  const enterAll = () => Promise.all(tokens.map((token) => enterAgain(all.url, token)))
  let people = await enterAll()
  const recordings = [await runningRecording(all.rest, people[0]?.sessionId ?? '')]
  await meetByEveryNode('before')

  const old = new Set(all.names)
  while (old.size > 0) {
    const owner = await all.ownerOf(ROOM)
    const [name = ''] = old.has(owner) ? [owner] : old
    old.delete(name)
    const node = all.node(name)
    await timePasses(RECORDED_MS, 'it is recorded')
    process.kill(node.pid, 'SIGTERM')
    expect(await node.ended()).toBe(0)
    if (name === owner) {
      for (const { client } of people) await client.closed()
      people = await enterAll()
      recordings.push(await runningRecording(all.rest, people[0]?.sessionId ?? ''))
    } else {
      // Sockets that came by this node are gone.
      const gone = people.filter(({ client }) => client.closeCode !== null)
      const back = await Promise.all(
        gone.map((person) => enterAgain(all.url, tokens[people.indexOf(person)] ?? '')),
      )
      people = people.map((person) => back[gone.indexOf(person)] ?? person)
    }
    const next = await all.ownerOf(ROOM)
    expect(next).not.toBe(name)
    node.program = ROOT
    await node.launch()
    console.log(
      `${name} has the new version; the meeting is at ${next}, ${old.has(next) ? 'an old' : 'a new'} one`,
    )
    await meetByEveryNode(`without-old-${name}`)
    expect(new Set(people.map(({ sessionId }) => sessionId)).size).toBe(1)
  }
  for (const person of people) await leave(person)
  for (const id of recordings) {
    const { durationMs } = await expectWhole(all.rest, id)
    console.log(`recorded ${Math.round(durationMs)} ms`)
  }
  const sessions = await eventually(
    'the end of the meeting',
    () => all.rest.sessionsOf(ROOM),
    (seen) => seen.every(({ status }) => status === 'completed'),
  )
  expect(sessions).toHaveLength(recordings.length)
})
