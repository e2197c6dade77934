import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import { newId } from '../ids.ts'
import { createTargets } from '../outgoing/targets.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { WebhookRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { sampleEvent } from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { timePasses } from '../testing/time-passes.ts'
import { startSilentServer, startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'
import { readLog } from './attempt-log.ts'
import { createWebhookDeliveries } from './deliveries.ts'
import { OutboxSweeps } from './outbox-sweeps.ts'
import { WebhookSending } from './webhook-sending.ts'
import { createWebhooks } from './webhooks.ts'

const ACTOR = { kind: 'server', name: 'test' } as const
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WAIT = { timeout: 10_000, interval: 20 }

/** The time of the machine, which a test can put forward. */
function movableClock(): Clock & { forward(ms: number): void } {
  let ahead = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    monotonicMs: () => systemClock.monotonicMs() + ahead,
    forward(ms) {
      ahead += ms
    },
  }
}

describe.each(databaseKinds)('with $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  let receiver: WebhookReceiver
  let clock: ReturnType<typeof movableClock>
  let project_id: string
  const sendings: WebhookSending[] = []

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })
  beforeEach(async () => {
    clock = movableClock()
    project_id = newId()
    await storage.projects.insert({ id: project_id, name: 'one', created_at: 1 })
    receiver = await startWebhookReceiver()
  })
  afterEach(async () => {
    for (const sending of sendings.splice(0)) await sending.stop()
    await receiver.close()
    await storage.projects.delete(project_id)
  })

  const options = (of: Storage, lookup?: (name: string) => Promise<string[]>) => ({
    storage: of,
    clock,
    log: pino({ level: 'silent' }),
    targets: createTargets(lookup ? { allowPrivateTargets: false, lookup } : { allowPrivateTargets: true }),
    protocols: ['https', 'http'],
    sealingKey: new Uint8Array(32),
    userAgent: 'Parley/test',
    disableAfterMs: 5 * DAY_MS,
    keptMs: 14 * DAY_MS,
    maxWebhooksPerProject: 50,
    wake: () => sendings.forEach((sending) => void sending.wake()),
  })
  function send(of = storage, lookup?: (name: string) => Promise<string[]>): void {
    const sending = new WebhookSending(options(of, lookup))
    sendings.push(sending)
    sending.start()
  }
  async function webhook(url = receiver.url, events: string[] | null = null): Promise<WebhookRecord> {
    return (await createWebhooks(options(storage)).create(project_id, { url, events }, ACTOR)).webhook
  }
  const find = async ({ id }: WebhookRecord) => {
    const found = await storage.webhooks.find(project_id, id)
    if (!found) throw new Error('the webhook is gone')
    return found
  }
  const happens = (room_session_id: string | null, payload = {}) =>
    storage.transaction((tx) =>
      tx.events.append(sampleEvent({ project_id, room_session_id, payload, created_at: clock.now() })),
    )
  const deliveries = async ({ id }: WebhookRecord) =>
    (await storage.webhookDeliveries.list(project_id, id, {}, { limit: 1000 })).rows
  const seen = () =>
    receiver.messages.map(({ json }) => `${json.data.room_session_id.slice(-2)}${json.sequence}`)
  const later = (ms: number) => {
    clock.forward(ms)
    for (const sending of sendings) sending.wake()
  }

  it('a session waits for its delivery that is tried again, and others go on', async () => {
    const [first, second] = [`${newId()}-A`, `${newId()}-B`]
    await webhook()
    receiver.answer(({ json }, response) => {
      const isRefused = json.data.payload.refused === true && receiver.messages.length < 3
      response.writeHead(isRefused ? 500 : 200).end('not now')
    })
    send()
    await happens(first, { refused: true })
    await vi.waitFor(() => expect(seen()).toEqual(['-A1']), WAIT)
    await happens(first)
    await happens(second)
    await vi.waitFor(() => expect(seen()).toEqual(['-A1', '-B1']), WAIT)
    await happens(second)
    await vi.waitFor(() => expect(seen()).toEqual(['-A1', '-B1', '-B2']), WAIT)
    later(7000)
    await vi.waitFor(() => expect(seen()).toEqual(['-A1', '-B1', '-B2', '-A1', '-A2']), WAIT)
  })

  it('ends after 24 hours, with a log of each attempt, and the session goes on', async () => {
    const hook = await webhook()
    receiver.answer(({ json }, response) => {
      response.writeHead(json.sequence === 1 ? 500 : 200).end('x'.repeat(100_000))
    })
    send()
    const session = newId()
    await happens(session)
    await happens(session)
    const pauses: number[] = []
    for (let attempts = 1; attempts < 30; attempts++) {
      await vi.waitFor(async () => {
        const oldest = (await deliveries(hook)).at(-1)
        expect(oldest?.attempts).toBe(attempts)
      }, WAIT)
      const oldest = (await deliveries(hook)).at(-1)
      const { nextAt, attemptedAt, responseBody } = readLog(oldest?.attempt_log ?? '').at(-1) ?? {}
      expect(responseBody).toHaveLength(1024)
      if (nextAt == null) break
      pauses.push(nextAt - (attemptedAt ?? 0))
      await vi.waitFor(async () => {
        later(nextAt - clock.now() + 1)
        expect((await deliveries(hook)).at(-1)?.attempts).toBeGreaterThan(attempts)
      }, WAIT)
    }
    const [first = 0] = pauses
    expect(first).toBeGreaterThanOrEqual(3700)
    expect(first).toBeLessThan(7000)
    expect(Math.max(...pauses)).toBeGreaterThan(4 * HOUR_MS)
    await vi.waitFor(async () => {
      expect((await deliveries(hook)).map(({ status }) => status)).toEqual(['delivered', 'failed'])
    }, WAIT)
    const failed = (await deliveries(hook)).at(-1)
    const tookMs = (failed?.finished_at ?? 0) - (failed?.first_attempt_at ?? 0)
    expect(tookMs).toBeGreaterThanOrEqual(DAY_MS)
    expect(tookMs).toBeLessThan(DAY_MS + HOUR_MS)
  })

  it('heeds Retry-After, for all sessions of the receiver, and no longer than 24 hours', async () => {
    const hook = await webhook()
    receiver.answer((_, response) => void response.writeHead(429, { 'retry-after': '600' }).end())
    send()
    await happens(newId())
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), WAIT)
    await vi.waitFor(async () => expect((await deliveries(hook))[0]?.attempts).toBe(1), WAIT)
    receiver.answer((_, response) => void response.writeHead(503, { 'retry-after': '9999999999' }).end())
    await happens(newId())
    later(500_000)
    await timePasses(300, 'nothing is sent before the receiver wants it')
    expect(receiver.messages).toHaveLength(1)
    later(110_000)
    await vi.waitFor(() => expect(receiver.messages.length).toBeGreaterThan(1), WAIT)
    await vi.waitFor(async () => {
      const logs = (await deliveries(hook)).map(({ attempt_log }) => readLog(attempt_log).at(-1))
      const long = logs.find((attempt) => attempt?.responseStatus === 503)
      expect((long?.nextAt ?? 0) - (long?.attemptedAt ?? 0)).toBeGreaterThan(23 * HOUR_MS)
      expect((long?.nextAt ?? 0) - (long?.attemptedAt ?? 0)).toBeLessThanOrEqual(DAY_MS)
    }, WAIT)
  })

  it('a receiver that does not answer holds up no other', async () => {
    const silent = await startSilentServer()
    await webhook(silent.url)
    await webhook()
    send()
    const sessions = Array.from({ length: 40 }, () => newId())
    await storage.transaction(async (tx) => {
      for (const room_session_id of [...sessions, ...sessions]) {
        await tx.events.append(sampleEvent({ project_id, room_session_id }))
      }
    })
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(80), { ...WAIT, timeout: 8000 })
    await silent.close()
  })

  it('follows no redirect', async () => {
    const other = await startWebhookReceiver()
    const hook = await webhook()
    receiver.answer((_, response) => void response.writeHead(307, { location: other.url }).end())
    send()
    await happens(newId())
    await vi.waitFor(async () => {
      const [delivery] = await deliveries(hook)
      expect(readLog(delivery?.attempt_log ?? '')).toMatchObject([{ responseStatus: 307 }])
    }, WAIT)
    expect(other.messages).toEqual([])
    await other.close()
  })

  it('judges the address of a name again for each connection', async () => {
    const hook = await webhook(`http://rebound.example.com:${receiver.port}/hook`)
    send(storage, async () => ['127.0.0.1'])
    await happens(newId())
    await vi.waitFor(async () => {
      const [delivery] = await deliveries(hook)
      const [attempt] = readLog(delivery?.attempt_log ?? '')
      expect(attempt?.error).toMatch(/private|internal/)
    }, WAIT)
    expect(receiver.messages).toEqual([])
  })

  it('disables a webhook that has failed for days, keeps what waits, and sends it later', async () => {
    const hook = await webhook()
    receiver.answer(500)
    send()
    await happens(newId())
    await vi.waitFor(async () => expect((await find(hook)).failing_since).not.toBeNull(), WAIT)
    later(6 * DAY_MS)
    await vi.waitFor(async () => expect((await find(hook)).disabled_reason).toBe('failing'), WAIT)
    const session = newId()
    await happens(session)
    const [act] = (await storage.audit.list({ projectId: project_id }, 1)) ?? []
    expect(act).toMatchObject({ action: 'webhook.disable', target: hook.id, details: { reason: 'failing' } })

    receiver.answer(200)
    const deliveriesOf = createWebhookDeliveries(options(storage))
    const [failed] = await deliveries(hook)
    await createWebhooks(options(storage)).update(project_id, hook.id, { enabled: true }, ACTOR)
    if (failed?.status === 'failed') await deliveriesOf.replay(project_id, hook.id, failed.id, ACTOR)
    await vi.waitFor(async () => {
      expect((await deliveries(hook)).map(({ status }) => status)).toEqual(['delivered'])
    }, WAIT)
    expect((await find(hook)).failing_since).toBeNull()
  })

  it.each(['disabled', 'deleted'])('sends no more than it has begun to a webhook that is %s', async (how) => {
    const hook = await webhook()
    const session = newId()
    for (let count = 0; count < 100; count++) await happens(session)
    const webhooks = createWebhooks(options(storage))
    const change =
      how === 'deleted'
        ? () => webhooks.delete(project_id, hook.id, ACTOR)
        : async () => void (await webhooks.update(project_id, hook.id, { enabled: false }, ACTOR))
    let changed: Promise<void> | undefined
    receiver.answer((_, response) => {
      changed ??= change()
      void changed.then(() => response.end())
    })
    send()
    await vi.waitFor(() => expect(receiver.messages.length).toBeGreaterThan(19), WAIT)
    await timePasses(300, 'nothing more is sent')
    expect(receiver.messages).toHaveLength(20)
    if (how === 'deleted') return
    await webhooks.update(project_id, hook.id, { enabled: true }, ACTOR)
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(100), WAIT)
    expect(receiver.messages.map(({ json }) => json.sequence)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
  })

  it('an event that is not written is not sent', async () => {
    const hook = await webhook()
    send()
    const failing = storage.transaction(async (tx) => {
      await tx.events.append(sampleEvent({ project_id, room_session_id: newId() }))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await happens(newId())
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), WAIT)
    expect(await deliveries(hook)).toHaveLength(1)
  })

  it('events of a moment come once and in order, to those that asked for them', async () => {
    await webhook(receiver.url, ['member.*'])
    await webhook(receiver.url, ['room.*'])
    const session = newId()
    await Promise.all(Array.from({ length: 60 }, () => happens(session)))
    send()
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(60), WAIT)
    expect(receiver.messages.map(({ json }) => json.sequence)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    )
  })

  it('takes over what a dead server had begun, once its lease has run out', async () => {
    const hook = await webhook()
    send()
    await happens(newId())
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), WAIT)
    for (const sending of sendings.splice(0)) await sending.stop()
    await happens(newId())
    const now = clock.now()
    const lease = { holder: 'dead', now, until: now + 30_000 }
    const [stream] = await storage.webhookOutbox.claim(hook.id, lease, 5)
    expect(stream?.holder).toBe('dead')
    expect(await storage.webhookOutbox.claim(hook.id, { ...lease, holder: 'other' }, 5)).toEqual([])
    clock.forward(31_000)
    const taken = await storage.webhookOutbox.claim(
      hook.id,
      { holder: 'heir', now: clock.now(), until: clock.now() },
      5,
    )
    expect(taken).toMatchObject([{ id: stream?.id, done_sequence: 0 }])
    // The dead one is not dead after all. What it says does not count any more.
    if (stream)
      await storage.webhookOutbox.release(stream, { done: 1, nextAt: null, outcomes: [] }, clock.now())
    send()
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(2), WAIT)
  })

  it('deletes what is old, and what is left of a deleted webhook', async () => {
    const [kept, deleted] = [await webhook(), await webhook()]
    send()
    const session = newId()
    await happens(session)
    await vi.waitFor(() => expect(receiver.messages).toHaveLength(2), WAIT)
    await vi.waitFor(async () => expect((await deliveries(kept))[0]?.status).toBe('delivered'), WAIT)
    await createWebhooks(options(storage)).delete(project_id, deleted.id, ACTOR)
    const sweeps = new OutboxSweeps(options(storage))
    await sweeps.sweep()
    expect([(await deliveries(kept)).length, (await deliveries(deleted)).length]).toEqual([1, 0])
    clock.forward(15 * DAY_MS)
    await sweeps.sweep()
    expect(await deliveries(kept)).toEqual([])
    expect(await storage.webhookDeliveries.nextWebhookId('')).toBeUndefined()
  })
})

it('what is under way when the server stops is not counted, and sent after the next start', async () => {
  const kind = databaseKinds[0]
  const server = await kind.startServer()
  const storage = await openStorage(await server.emptyDatabase())
  const receiver = await startWebhookReceiver()
  const project_id = newId()
  await storage.projects.insert({ id: project_id, name: 'one', created_at: 1 })
  const options = {
    storage,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    targets: createTargets({ allowPrivateTargets: true }),
    protocols: ['http'],
    sealingKey: new Uint8Array(32),
    userAgent: 'Parley/test',
    disableAfterMs: DAY_MS,
    keptMs: DAY_MS,
    maxWebhooksPerProject: 1,
    wake: () => {},
  }
  const { webhook } = await createWebhooks(options).create(project_id, { url: receiver.url }, ACTOR)
  receiver.answer(() => {})
  const first = new WebhookSending(options)
  first.start()
  await storage.events.append(sampleEvent({ project_id, room_session_id: newId() }))
  await vi.waitFor(() => expect(receiver.messages).toHaveLength(1), WAIT)
  await first.stop()
  const find = async () =>
    (await storage.webhookDeliveries.list(project_id, webhook.id, {}, { limit: 5 })).rows[0]
  expect(await find()).toMatchObject({ status: 'pending', attempts: 0 })
  receiver.answer(200)
  const second = new WebhookSending(options)
  second.start()
  await vi.waitFor(async () => expect(await find()).toMatchObject({ status: 'delivered', attempts: 1 }), WAIT)
  await second.stop()
  await storage.close()
  await receiver.close()
  await server.remove()
})
