import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parleyInProcess } from '../admin/parley-command.ts'
import { newId } from '../ids.ts'
import { openDatabase } from '../storage/open-storage.ts'
import { freeUdpPorts } from '../testing/free-udp-ports.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts'

const SESSIONS = 12
const KILLS = 2

let dataDir: string
let receiver: WebhookReceiver
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-webhooks-killed-'))
  receiver = await startWebhookReceiver()
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  await receiver.close()
  rmSync(dataDir, { recursive: true })
})

const source = (path: string) => join(import.meta.dirname, '..', path)

/** What a test started. */
const children: ChildProcess[] = []

/** Starts a server. @returns once it runs */
async function start(): Promise<ChildProcess> {
  const ports = await freeUdpPorts(4)
  const child = spawn(process.execPath, [source('main.ts')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      PARLEY_HOST: '127.0.0.1',
      PARLEY_PORT: '0',
      PARLEY_DATA_DIR: dataDir,
      PARLEY_PROJECT_ID: 'p',
      PARLEY_API_TOKEN: 'token-of-the-tests',
      PARLEY_ALLOW_PRIVATE_TARGETS: '1',
      PARLEY_MEDIA_WORKERS: '1',
      PARLEY_RTC_PORTS: `${ports.first}-${ports.last}`,
    },
  })
  children.push(child)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await vi.waitFor(() => expect(output).toContain('Parley is running'), { timeout: 20_000 })
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill('SIGKILL')
  await closed
  expect(child.signalCode).toBe('SIGKILL')
}

it('loses nothing of what was written, and keeps the order, when server and writer are killed', async () => {
  let server = await start()
  const made = await parleyInProcess(['webhooks', 'create', '--project', 'p', '--url', receiver.url], {
    PARLEY_DATA_DIR: dataDir,
    PARLEY_ALLOW_PRIVATE_TARGETS: '1',
  })
  expect(made.code, made.err).toBe(0)
  const confirmed: string[] = []
  for (let kills = 0; kills < KILLS; kills++) {
    const sessions = Array.from({ length: SESSIONS }, () => newId())
    const [file, script] = [join(dataDir, 'parley.db'), source('testing/killed-event-writer.ts')]
    const writer = spawn(process.execPath, [script, file, 'p', ...sessions], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(writer)
    let told = ''
    writer.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    const sent = () =>
      receiver.messages.filter(({ json }) => sessions.includes(json.data.room_session_id)).length
    await vi.waitFor(() => expect(sent()).toBeGreaterThan(4 * SESSIONS), { timeout: 20_000, interval: 5 })
    await kill(server)
    const atKill = told.length
    await vi.waitFor(() => expect(told.length).toBeGreaterThan(atKill), { timeout: 10_000, interval: 5 })
    await kill(writer)
    confirmed.push(...told.split('\n').slice(0, -1))
    server = await start()
  }

  const db = await openDatabase(join(dataDir, 'parley.db'))
  const undelivered = async () =>
    (
      await sql<{
        n: number
      }>`select count(*) as n from webhook_deliveries where status <> 'delivered'`.execute(db)
    ).rows[0]?.n
  await vi.waitFor(async () => expect(await undelivered()).toBe(0), { timeout: 40_000, interval: 200 })
  const unnoted = await sql`
    select 1 from events left join webhook_deliveries on webhook_deliveries.id = events.id where webhook_deliveries.id is null`.execute(
    db,
  )
  expect(unnoted.rows).toEqual([])
  await db.destroy()

  const received = new Set(receiver.messages.map(({ headers }) => String(headers['webhook-id'])))
  expect(confirmed.length).toBeGreaterThan(100)
  expect(confirmed.filter((id) => !received.has(id))).toEqual([])
  const bySession = Map.groupBy(receiver.messages, ({ json }) => json.data.room_session_id)
  expect(bySession.size).toBe(SESSIONS * KILLS)
  for (const messages of bySession.values()) {
    // What came twice came again soon: each new number is the next one.
    const numbers = new Set(messages.map(({ json }) => json.sequence))
    expect([...numbers]).toEqual(Array.from(numbers, (_, index) => index + 1))
  }
  await kill(server)
}, 120_000)
