import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { WORKER_SETTINGS_VARIABLE, type WorkerSettings } from '../media/channel.ts'

const WORKER = fileURLToPath(new URL('./main.ts', import.meta.url))
const SETTINGS: WorkerSettings = {
  portRange: { first: 41920, last: 41921 },
  announcedIp: null,
  logLevel: 'silent',
}

/** A server that dies as soon as it has started its worker. */
const SHORT_LIVED_SERVER = `
  const worker = require('node:child_process').fork(${JSON.stringify(WORKER)}, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  require('node:fs').writeSync(1, String(worker.pid))
  process.kill(process.pid, 'SIGKILL')
`

test('a worker whose server died before it had started ends', { timeout: 40_000 }, async () => {
  const env = { ...process.env, [WORKER_SETTINGS_VARIABLE]: JSON.stringify(SETTINGS) }
  const server = spawn(process.execPath, ['-e', SHORT_LIVED_SERVER], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let worker = 0
  server.stdout.on('data', (text: Buffer) => {
    worker = Number(text)
  })
  // The worker has the other end of this pipe too: it closes when both have ended.
  const ended = once(server.stdout, 'close')
  const [, signal] = (await once(server, 'exit')) as [number | null, string]
  expect(signal).toBe('SIGKILL')
  const late = AbortSignal.timeout(30_000)
  late.addEventListener('abort', () => process.kill(worker, 'SIGKILL'))
  await ended
  expect(late.aborted).toBe(false)
  expect(worker).toBeGreaterThan(0)
})
