import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { WORKER_SETTINGS_VARIABLE, type WorkerSettings } from '../media/messages.ts'
import { freeUdpPorts } from '../testing/free-udp-ports.ts'

const WORKER = fileURLToPath(new URL('./main.ts', import.meta.url))
const GUARD = new URL('../media/orphan-guard.ts', import.meta.url).href
const LATE_MS = 30_000
const SETTINGS: WorkerSettings = {
  portRange: await freeUdpPorts(2),
  announcedIp: null,
  transport: 'libdatachannel',
  logLevel: 'silent',
  overloadStep: 'none',
}

/** Starts a worker and tells the test its number. The worker shares this output: it closes when both have ended. */
const START = `
  import { fork } from 'node:child_process'
  import { writeSync } from 'node:fs'
  import { OrphanGuard } from ${JSON.stringify(GUARD)}
  const worker = fork(${JSON.stringify(WORKER)}, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })
  writeSync(1, String(worker.pid))
  const die = () => process.kill(process.pid, 'SIGKILL')
`

/** Runs a server that kills itself, and resolves when its worker has ended too. */
async function workerEndsAfter(script: string): Promise<void> {
  const env = { ...process.env, [WORKER_SETTINGS_VARIABLE]: JSON.stringify(SETTINGS) }
  const server = spawn(process.execPath, ['--input-type=module', '-e', START + script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let worker = 0
  server.stdout.on('data', (text: Buffer) => {
    worker = Number(text)
  })
  const ended = once(server.stdout, 'close')
  const [, signal] = (await once(server, 'exit')) as [number | null, string]
  expect(signal).toBe('SIGKILL')
  expect(worker).toBeGreaterThan(0)
  let late = false
  const timeout = setTimeout(() => {
    late = true
    process.kill(worker, 'SIGKILL')
  }, LATE_MS)
  await ended
  clearTimeout(timeout)
  expect(late).toBe(false)
}

test('a worker whose server died before it had started ends', { timeout: 60_000 }, async () => {
  await workerEndsAfter('die()')
})

test('a worker that hangs when its server dies is ended', { timeout: 60_000 }, async () => {
  await workerEndsAfter(`
    const guard = new OrphanGuard(1)
    guard.add(worker.pid)
    worker.once('message', () => {
      worker.kill('SIGSTOP')
      die()
    })
  `)
})
