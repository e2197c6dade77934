import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freeUdpPorts } from './testing/free-udp-ports.ts'
import { basic } from './testing/server-for-tests.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-main-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const ports = await freeUdpPorts(4)

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      PARLEY_HOST: '127.0.0.1',
      PARLEY_PORT: '0',
      PARLEY_DATA_DIR: dataDir,
      PARLEY_MEDIA_WORKERS: '1',
      PARLEY_RTC_PORTS: `${ports.first}-${ports.last}`,
      ...env,
    },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const shown = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output.stdout)
        if (match) resolve(match)
      }
      child.stdout.on('data', look)
      void exited.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)))
    })
  return { child, output, exited, shown }
}

it('shows how to reach it, keeps the token secret at the second start, and stops when told to', async () => {
  const first = run({})
  const [block] = await first.shown(/Parley is running[\s\S]*Open .*\n/)
  expect(block).toMatch(/Base URL +https:\/\/127\.0\.0\.1:\d+\n/)
  expect(block).toMatch(/Project id +[0-9a-f-]{36}\n/)
  const token = /API token +(PT[0-9a-f]{48}) /.exec(block)?.[1]
  expect(token).toBeDefined()
  expect(block).toContain(join(dataDir, 'tls', 'ca.pem'))
  first.child.kill('SIGINT')
  expect(await first.exited).toBe(0)
  expect(first.output.stderr).toBe('')

  const second = run({})
  const [again] = await second.shown(/Parley is running[\s\S]*Open .*\n/)
  expect(again).toContain('as shown at the first start')
  expect(second.output.stdout).not.toContain(token)
  second.child.kill('SIGTERM')
  expect(await second.exited).toBe(0)
})

it('keeps the token for the first start that serves, if an earlier one fails', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const failed = run({ PARLEY_PORT: String(port) })
  expect(await failed.exited).toBe(1)
  expect(failed.output.stderr).toMatch(/is taken/)
  expect(failed.output.stdout + failed.output.stderr).not.toMatch(/PT[0-9a-f]{48}/)
  other.close()
  await once(other, 'close')

  const serving = run({ PARLEY_PORT: String(port) })
  const [block] = await serving.shown(/Parley is running[\s\S]*Open .*\n/)
  const [, projectId] = /Project id +([0-9a-f-]{36})\n/.exec(block) ?? []
  const [, token] = /API token +(PT[0-9a-f]{48}) /.exec(block) ?? []
  expect(token).toBeDefined()
  const ca = readFileSync(join(dataDir, 'tls', 'ca.pem'))
  const answer = await request(`https://127.0.0.1:${port}/api/video/rooms`, {
    dispatcher: new Agent({ connect: { ca } }),
    headers: { authorization: basic(projectId ?? '', token ?? ''), connection: 'close' },
  })
  await answer.body.dump()
  expect(answer.statusCode).toBe(200)
  serving.child.kill('SIGINT')
  expect(await serving.exited).toBe(0)
})

it('never shows a token that the operator has set, and says how to go without root', async () => {
  const server = run({ PARLEY_API_TOKEN: 'a-preset-token-of-the-operator' })
  const [block] = await server.shown(/Parley is running[\s\S]*Open .*\n/)
  expect(block).toContain('as set by PARLEY_API_TOKEN')
  server.child.kill('SIGINT')
  expect(await server.exited).toBe(0)
  expect(server.output.stdout + server.output.stderr).not.toContain('a-preset-token-of-the-operator')
  const warning = /"level":40[^\n]*runs as root/
  if (process.getuid?.() === 0) expect(server.output.stdout).toMatch(warning)
  else expect(server.output.stdout).not.toMatch(warning)
})

it('closes a data folder to others, and makes everything in it for its owner alone', async () => {
  chmodSync(dataDir, 0o755)
  const server = run({})
  await server.shown(/Parley is running[\s\S]*Open .*\n/)
  const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0,
  )
  // Everybody may read the certificates, but not the folder around them.
  expect(open.sort()).toEqual(['tls/ca.pem', 'tls/server.pem'])
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  expect(server.output.stdout).toContain('could be read by other users')
  server.child.kill('SIGINT')
  expect(await server.exited).toBe(0)
})

it('names every bad value and ends with 1, without a stack', async () => {
  const { exited, output } = run({ PARLEY_PORT: 'eighty', PARLEY_FPS: '25', PARLEY_API_TOKEN: 'pssst' })
  expect(await exited).toBe(1)
  for (const name of ['PARLEY_PORT', 'PARLEY_FPS', 'PARLEY_API_TOKEN']) expect(output.stderr).toContain(name)
  expect(output.stderr).not.toMatch(/^\s+at /m)
  expect(output.stderr).not.toContain('pssst')
})

it('says in words that a data folder cannot be used, and that a certificate cannot be read', async () => {
  const folder = run({ PARLEY_DATA_DIR: '/dev/null/data' })
  expect(await folder.exited).toBe(1)
  expect(folder.output.stderr).toContain('cannot use the data folder /dev/null/data')
  expect(folder.output.stderr).not.toMatch(/^\s+at /m)
  const certificate = run({ PARLEY_TLS_CERT: '/nowhere/cert.pem', PARLEY_TLS_KEY: '/nowhere/key.pem' })
  expect(await certificate.exited).toBe(1)
  expect(certificate.output.stderr).toContain('/nowhere/cert.pem')
  expect(certificate.output.stderr).not.toMatch(/^\s+at /m)
})

/** Scheduling policy of a thread, sched.h: 0 is the default, 2 is SCHED_RR. */
const policyOf = (pid: number, tid = pid): number => {
  const stat = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'latin1')
  // Field 41 of proc_pid_stat(5). The second field is a name in parentheses, which may contain blanks.
  return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[41 - 3])
}
const threadsOf = (pid: number): number[] => readdirSync(`/proc/${pid}/task`).map(Number)
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').map(Number)

/** The best policy that the system permits for a child process. */
async function permittedPolicy(): Promise<number> {
  const sleeper = spawn('sleep', ['60'])
  await once(sleeper, 'spawn')
  const pid = sleeper.pid!
  const chrt = spawn('chrt', ['--rr', '--pid', '1', String(pid)])
  await once(chrt, 'exit')
  const policy = policyOf(pid)
  sleeper.kill('SIGKILL')
  return policy
}

it.each([
  { named: 'lets its main thread alone go before media, where the system permits it', env: {}, asked: true },
  { named: 'lets nothing go before media when told so', env: { PARLEY_REAL_TIME: '0' }, asked: false },
])('$named', async ({ env, asked }) => {
  const server = run(env)
  await server.shown(/Parley is running[\s\S]*Open .*\n/)
  const pid = server.child.pid!
  expect(policyOf(pid)).toBe(asked ? await permittedPolicy() : 0)
  const others = threadsOf(pid).filter((tid) => tid !== pid)
  expect(others.length).toBeGreaterThan(0)
  for (const tid of others) expect(policyOf(pid, tid)).toBe(0)
  const workers = childrenOf(pid).filter((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('media-worker/main.ts'),
  )
  expect(workers).toHaveLength(1)
  for (const worker of workers) for (const tid of threadsOf(worker)) expect(policyOf(worker, tid)).toBe(0)
  server.child.kill('SIGINT')
  expect(await server.exited).toBe(0)
})
