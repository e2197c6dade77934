import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freeUdpPorts } from '../../server/src/testing/free-udp-ports.ts'
import { eventually } from '../testing/eventually.ts'
import { descendants, isRunning, killProcesses } from '../testing/processes.ts'
import { freePort } from '../testing/server-process.ts'

const START_MS = 60_000
const rootDir = path.resolve(import.meta.dirname, '../..')
let dataDir = ''
let port = 0
let launchers: ChildProcess[] = []

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'parley-launcher-'))
  port = await freePort()
  launchers = []
})
afterEach(async () => {
  for (const { pid = 0 } of launchers) killProcesses([pid, ...(await descendants(pid)).map((one) => one.pid)])
  await rm(dataDir, { recursive: true, force: true })
})

const ports = await freeUdpPorts(8)

/** Does what `npm start` does, without npm. */
function launch() {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: rootDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PARLEY_HOST: '127.0.0.1',
      PARLEY_PORT: String(port),
      PARLEY_DATA_DIR: dataDir,
      PARLEY_MEDIA_WORKERS: '1',
      PARLEY_RTC_PORTS: `${ports.first}-${ports.last}`,
    },
  })
  launchers.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const times = (line: string) => output.split(line).length - 1
  const says = (line: string, count = 1) =>
    eventually(
      `"${line}"`,
      async () => ({ found: times(line), output }),
      ({ found }) => found >= count,
      { timeoutMs: START_MS },
    )
  return { child, says, output: () => output }
}

async function serverOf({ pid = 0 }: ChildProcess): Promise<number> {
  const all = await descendants(pid)
  return all.find(({ command }) => command.includes('server/src/main.ts'))?.pid ?? 0
}

test('a server that was killed is started again, more slowly each time, until it is told to stop', async () => {
  const { child, says, output } = launch()
  await says('Parley is running')
  const first = await serverOf(child)
  killProcesses([first])
  await says('Parley is running', 2)
  expect(output()).toContain('killed by SIGKILL). Starting it again in 0.25 s')
  const second = await serverOf(child)
  expect(second).not.toBe(first)
  killProcesses([second])
  await says('Starting it again in 0.5 s')
  await says('Parley is running', 3)
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
})

test('a server whose launcher was killed ends, and the next start waits for that', async () => {
  const { child, says } = launch()
  await says('Parley is running')
  const server = await serverOf(child)
  // A stopped server cannot notice the kill before the next start has checked the folder.
  process.kill(server, 'SIGSTOP')
  killProcesses([child.pid ?? 0])
  const next = launch()
  await next.says('is still in use by another server')
  expect(next.output()).toContain(`process ${server}`)
  process.kill(server, 'SIGCONT')
  await next.says('Parley is running')
  expect(await isRunning(server)).toBe(false)
  next.child.kill('SIGTERM')
  await once(next.child, 'exit')
})

test('a second start on a folder in use says which process has it', async () => {
  const { child, says } = launch()
  await says('Parley is running')
  const server = await serverOf(child)
  const next = launch()
  const [code] = (await once(next.child, 'exit')) as [number]
  expect(code).toBe(1)
  expect(next.output()).toMatch(new RegExp(`process ${server}, since .*stop that one first`))
  child.kill('SIGTERM')
  await once(child, 'exit')
})
