import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { Pool } from 'undici'
import { systemClock } from '../../server/src/clock.ts'
import { newId } from '../../server/src/ids.ts'
import { createTargets } from '../../server/src/outgoing/targets.ts'
import { SessionWriteQueue } from '../../server/src/rooms/sessions/session-write-queue.ts'
import { openStorage } from '../../server/src/storage/open-storage.ts'
import type { Storage } from '../../server/src/storage/storage.ts'
import { sampleEvent } from '../../server/src/testing/sample-records.ts'
import { messageBody } from '../../server/src/webhooks/message.ts'
import { WebhookSending } from '../../server/src/webhooks/webhook-sending.ts'
import { createWebhooks } from '../../server/src/webhooks/webhooks.ts'
import { report } from '../report.ts'
import { type CountingReceiver, startReceiver } from './start-receiver.ts'

const RATE = 2000
const SECONDS = 6
const TICK_MS = 20
const SESSIONS = 200
const BARE_POSTS = 10_000
/** Connections of the bare loop: those that a webhook has. */
const CONNECTIONS = 16

/**
 * Deliveries a second beside a bare loop of POSTs, and how far they are behind the events at 2,000 events a second.
 * @param location of an empty database; SQLite in a folder of its own unless given
 */
export async function measureDeliveries(location?: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-webhooks-'))
  const storage = await openStorage(location ?? join(folder, 'parley.db'))
  const receiver = await startReceiver()
  const kind = location === undefined ? 'SQLite' : 'PostgreSQL'
  try {
    const project_id = newId()
    await storage.projects.insert({ id: project_id, name: 'bench', created_at: 1 })
    const sending = await prepare(storage, project_id, receiver)
    const count = RATE * SECONDS

    // Everything is written first, and then sent.
    await write(storage, project_id, { count, pause: false })
    let began = performance.now()
    sending.start()
    await receiver.has(count)
    const perSecond = count / ((performance.now() - began) / 1000)
    await timeOfBareLoop(receiver, project_id, count, (bare) => {
      report({ what: `deliveries of a backlog, ${kind}`, value: perSecond, unit: '/s' })
      report({
        what: `deliveries of a backlog, ${kind} / bare POSTs`,
        value: perSecond / bare,
        limit: 0.1,
        direction: 'at least',
      })
    })

    // Events come evenly: at first those of a project without webhooks, then those that are sent as they come.
    const other = newId()
    await storage.projects.insert({ id: other, name: 'other', created_at: 1 })
    began = performance.now()
    await write(storage, other, { count, pause: true })
    const alone = count / ((performance.now() - began) / 1000)
    began = performance.now()
    const cpu = process.cpuUsage()
    await write(storage, project_id, { count, pause: true })
    const written = performance.now()
    await receiver.has(2 * count + BARE_POSTS)
    const behindMs = performance.now() - written
    const rate = count / ((performance.now() - began) / 1000)
    const { user, system } = process.cpuUsage(cpu)
    const cpuMs = (user + system) / 1000 / count
    report({ what: `events written as they come, without webhooks, ${kind}`, value: alone, unit: '/s' })
    report({ what: `events written and delivered as they come, ${kind}`, value: rate, unit: '/s' })
    report({
      what: `CPU of an event, written and delivered, all threads, ${kind}`,
      value: cpuMs,
      unit: 'ms',
      // 2,000 events a second then take less than two cores.
      limit: 0.8,
      direction: 'at most',
    })
    report({ what: `last delivery behind its event, ${kind}`, value: behindMs, unit: 'ms' })
    await sending.stop()
  } finally {
    receiver.stop()
    await storage.close()
    rmSync(folder, { recursive: true })
  }
}

async function prepare(storage: Storage, projectId: string, { url }: CountingReceiver) {
  const options = {
    storage,
    clock: systemClock,
    log: pino({ level: 'warn' }),
    targets: createTargets({ allowPrivateTargets: true }),
    protocols: ['http'],
    sealingKey: new Uint8Array(32),
    userAgent: 'Parley/bench',
    disableAfterMs: 1e9,
    keptMs: 1e9,
    maxWebhooksPerProject: 1,
    wake: () => {},
  }
  await createWebhooks(options).create(projectId, { url }, { kind: 'server', name: 'bench' })
  return new WebhookSending(options)
}

/** Writes events as running sessions do, each with its own queue. */
async function write(
  storage: Storage,
  projectId: string,
  { count, pause }: { count: number; pause: boolean },
): Promise<void> {
  const queues = Array.from({ length: SESSIONS }, () => {
    const owner = { projectId, roomId: null, sessionId: newId() }
    return new SessionWriteQueue({ storage, clock: systemClock, log: pino({ level: 'warn' }), owner })
  })
  const began = performance.now()
  const perTick = (RATE * TICK_MS) / 1000
  for (let written = 0; written < count; written += perTick) {
    const due = began + (written / RATE) * 1000 - performance.now()
    if (pause && due > 0) await delay(due)
    for (let index = 0; index < perTick; index++) {
      const queue = queues[(written + index) % SESSIONS]
      const payload = { member_id: newId(), name: 'Ada', type: 'member', parent_id: null }
      queue?.event('member.updated', { payload })
    }
    if (!pause) await Promise.all(queues.map((queue) => queue.flushed()))
  }
  await Promise.all(queues.map((queue) => queue.flushed()))
}

/** Posts the same messages without anything else. */
async function timeOfBareLoop(
  receiver: CountingReceiver,
  project_id: string,
  before: number,
  tell: (perSecond: number) => void,
): Promise<void> {
  const { origin, pathname: path } = new URL(receiver.url)
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 })
  const body = messageBody(sampleEvent({ project_id, room_session_id: newId() }), 1)
  const headers = { 'content-type': 'application/json' }
  const began = performance.now()
  let left = BARE_POSTS
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) {
        const answer = await pool.request({ path, method: 'POST', headers, body })
        await answer.body.dump()
      }
    }),
  )
  await receiver.has(before + BARE_POSTS)
  tell(BARE_POSTS / ((performance.now() - began) / 1000))
  await pool.close()
}
