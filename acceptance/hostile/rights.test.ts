import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const deployment = useDeployment({
  name: 'hostile-rights',
  participantsLive: 'for all tests',
  env: { A_SECRET_OF_ANOTHER_PROGRAM: 'of-another-program' },
})
const meeting = useMeetingInProgress(deployment)
const rootDir = path.resolve(import.meta.dirname, '../..')

test('a media worker that carries a meeting holds no secret and no privilege', async () => {
  const workers = await meeting.goesOnDuring(() => deployment.server.mediaWorkers())
  expect(workers.length).toBeGreaterThan(0)
  for (const { pid } of workers) {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(environment).not.toContain(deployment.access.apiToken)
    expect(environment).not.toContain('of-another-program')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    expect(status).toMatch(/NoNewPrivs:\s+1/)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'])
      expect(status).toMatch(RegExp(`${set}:\\s+0+\\n`))
  }
})

test('nobody else can read what the server keeps, and its output holds no token', () => {
  const { dataDir } = deployment.server
  const open = ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]
    .filter((name) => (statSync(path.join(dataDir, name)).mode & 0o077) !== 0)
    .sort()
  // Everybody may read the certificates, but their folder is closed.
  expect(open).toEqual(['tls/ca.pem', 'tls/server.pem'])
  expect(deployment.server.logLines().join('\n')).not.toContain(deployment.access.apiToken)
})

test('a user who may not install is told who may', async () => {
  const clone = await mkdtemp(path.join(tmpdir(), 'parley-clone-'))
  try {
    await chmod(clone, 0o755)
    const needed = [
      'scripts',
      'server/start-command.mjs',
      'package.json',
      'package-lock.json',
      'web/package.json',
      'web/src',
    ]
    for (const part of needed) {
      await cp(path.join(rootDir, part), path.join(clone, part), { recursive: true })
    }
    await chmod(clone, 0o555)
    const isRoot = process.getuid?.() === 0
    const child = spawn(process.execPath, ['scripts/start.mjs'], {
      cwd: clone,
      stdio: ['ignore', 'ignore', 'pipe'],
      // The user "nobody", by its number in Debian. Root could write in spite of the mode.
      ...(isRoot && { uid: 65534, gid: 65534 }),
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect(code).toBe(1)
    expect(said).toMatch(/may not write to .*\n.*Run "npm start" once as \w+/)
    expect(said).not.toMatch(/^\s+at /m)
  } finally {
    await chmod(clone, 0o755)
    await rm(clone, { recursive: true, force: true })
  }
})
