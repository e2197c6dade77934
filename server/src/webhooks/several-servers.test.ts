import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { newId } from '../ids.ts'
import { createTargets } from '../outgoing/targets.ts'
import { openStorage } from '../storage/open-storage.ts'
import { sampleEvent } from '../testing/sample-records.ts'
import { temporaryCluster } from '../testing/temporary-cluster.ts'
import { startWebhookReceiver } from '../testing/webhook-receiver.ts'
import { WebhookSending } from './webhook-sending.ts'
import { createWebhooks } from './webhooks.ts'

const SESSIONS = 30
const ROUNDS = 3

it('each delivery is sent by one of several servers on one database, in order', async () => {
  const cluster = await temporaryCluster()
  const location = await cluster.createDatabase()
  const servers = [await openStorage(location), await openStorage(location), await openStorage(location)]
  const receiver = await startWebhookReceiver()
  const project_id = newId()
  await servers[0]?.projects.insert({ id: project_id, name: 'one', created_at: 1 })
  const sendings = servers.map((storage) => new WebhookSending(optionsOf(storage)))
  const [storage] = servers
  if (!storage) throw new Error('there is no server')
  const options = { ...optionsOf(storage), maxWebhooksPerProject: 1, wake: () => {} }
  const by = { kind: 'server', name: 'test' } as const
  await createWebhooks(options).create(project_id, { url: receiver.url }, by)
  for (const sending of sendings) sending.start()

  const sessions = Array.from({ length: SESSIONS }, () => newId())
  const count = SESSIONS * ROUNDS * servers.length
  await Promise.all(
    servers.map(async (one) => {
      for (const room_session_id of Array.from({ length: ROUNDS }, () => sessions).flat()) {
        await one.events.append(sampleEvent({ project_id, room_session_id }))
      }
    }),
  )
  await vi.waitFor(() => expect(receiver.messages.length).toBeGreaterThanOrEqual(count), {
    timeout: 20_000,
    interval: 50,
  })
  for (const sending of sendings) await sending.stop()
  expect(receiver.messages).toHaveLength(count)
  expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(count)
  for (const session of sessions) {
    const ofSession = receiver.messages.filter(({ json }) => json.data.room_session_id === session)
    expect(ofSession.map(({ json }) => json.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  }
  for (const one of servers) await one.close()
  await receiver.close()
  await cluster.remove()
}, 60_000)

const optionsOf = (storage: Awaited<ReturnType<typeof openStorage>>) => ({
  storage,
  clock: systemClock,
  log: pino({ level: 'silent' }),
  targets: createTargets({ allowPrivateTargets: true }),
  protocols: ['http'],
  sealingKey: new Uint8Array(32),
  userAgent: 'Parley/test',
  disableAfterMs: 86_400_000,
  keptMs: 86_400_000,
})
