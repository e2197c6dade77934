import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { type TemporaryCluster, temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { enter, enterAgain, leave } from './clients.ts'
import { DatabaseGate } from './database-gate.ts'
import { ThreeNodes } from './three-nodes.ts'
import { runningRecording } from './whole-recording.ts'
import { expectWrittenDown } from './written-down.ts'

/** What whoever watches over the database needs to notice that its primary is gone. */
const NOTICED_MS = 3000
/** Rooms that each node makes before, and after. */
const ENOUGH = 10

const store = await ObjectStoreServer.start()
let standby: TemporaryCluster
let gate: DatabaseGate
let all: ThreeNodes
beforeAll(async () => {
  const postgres = await temporaryCluster()
  standby = await postgres.startStandby()
  gate = await DatabaseGate.start([postgres, standby])
  const database = { postgres, urlOf: gate.urlOf.bind(gate) }
  const env = { PARLEY_SESSION_GRACE_SECONDS: '1', ...store.env }
  all = await ThreeNodes.start('cluster-standby', env, { database })
})
afterAll(async () => {
  await all?.stop()
  await gate?.stop()
  await standby?.remove()
  await store.stop()
})

/** Makes rooms at a node, one after the other, until it is told to stop. */
class Writer {
  /** Names of the rooms that the node said it had made. */
  readonly answered: string[] = []
  readonly refused = new Set<number>()
  readonly #done: Promise<void>
  #isStopped = false

  constructor(node: string) {
    this.#done = this.#write(node)
  }

  async #write(node: string): Promise<void> {
    const rest = all.restOf(node)
    for (let count = 0; !this.#isStopped; count++) {
      const name = `written-${node}-${count}`
      // A connection that is cut has no status.
      const { status } = await rest.send('POST', '/rooms', { name }).catch(() => ({ status: 0 }))
      if (status >= 200 && status < 300) this.answered.push(name)
      else this.refused.add(status)
      await timePasses(20, 'the next one')
    }
    await rest.close()
  }

  stop(): Promise<void> {
    this.#isStopped = true
    return this.#done
  }
}

test('a meeting goes on while the primary is killed and its standby takes over, and nothing that was answered is lost', {
  timeout: 200_000,
}, async () => {
  const room_name = 'with-standby'
  await all.rest.createRoom({ name: room_name, record_on_start: true })
  const permissions = ['room.self.audio_mute']
  const tokenOf = (user_name: string) => all.rest.createRoomToken({ room_name, user_name, permissions })
  const [ada, token] = [await enter(all.url, await tokenOf('Ada')), await tokenOf('Newcomer')]
  const { sessionId } = ada
  const recordingId = await runningRecording(all.rest, sessionId)
  const writers = all.names.map((name) => new Writer(name))
  const stopWriting = () => Promise.all(writers.map((writer) => writer.stop()))
  onTestFinished(async () => void (await stopWriting()))
  const answered = () => writers.map((writer) => writer.answered.length)
  const enough = (since: readonly number[]) => (now: readonly number[]) =>
    now.every((count, index) => count >= (since[index] ?? 0) + ENOUGH)
  await eventually('rooms are made', async () => answered(), enough([]))

  await all.postgres.kill()
  const killedAtMs = Date.now()
  const before = answered()
  const { memberId: member_id } = ada
  await ada.client.request('video.member.audio_mute', { room_session_id: sessionId, member_id })
  await ada.client.event('video.member.updated', {
    right: ({ member }) => (member as { audio_muted?: boolean }).audio_muted === true,
  })
  console.log(`muted ${Date.now() - killedAtMs} ms after the end of the primary`)
  await timePasses(Math.max(0, killedAtMs + NOTICED_MS - Date.now()), 'somebody notices')
  await standby.promote()
  const promotedAtMs = Date.now()
  await eventually('rooms are made again', async () => answered(), enough(before), { timeoutMs: 40_000 })
  console.log(`written again ${Date.now() - promotedAtMs} ms after the standby took over`)
  const newcomer = await enterAgain(all.url, token)
  console.log(`somebody new is in ${Date.now() - promotedAtMs} ms after`)
  expect(newcomer.sessionId).toBe(sessionId)
  await leave(newcomer)

  await stopWriting()
  const kept = new Set(await all.query(`select name from rooms where name like 'written-%'`))
  for (const { answered: names } of writers) expect(names.filter((name) => !kept.has(name))).toEqual([])
  for (const { refused } of writers)
    expect([...refused].filter((code) => ![0, 503].includes(code))).toEqual([])
  console.log(`${kept.size} rooms are kept, ${answered().reduce((sum, count) => sum + count)} were answered`)

  expect(ada.client.closeCode).toBeNull()
  await leave(ada)
  await expectWrittenDown(all, { sessionId, roomName: room_name, recordingId, awayAtMs: killedAtMs })
})
