import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepAttempt, keepCertificate } from '../../acme/kept-certificates.ts'
import type { PortRange } from '../../config/media-options.ts'
import { databaseFile } from '../../storage/data-folder.ts'
import { migrate } from '../../storage/migrate.ts'
import { migrations } from '../../storage/migrations/index.ts'
import { openDatabase, openStorage } from '../../storage/open-storage.ts'
import { freeUdpPorts } from '../../testing/free-udp-ports.ts'
import { ObjectStoreServer } from '../../testing/object-store-server.ts'
import { startTestServer } from '../../testing/server-for-tests.ts'
import { temporaryCluster } from '../../testing/temporary-cluster.ts'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'
import { parley, parleyInProcess } from '../parley-command.ts'
import type { Finding } from './finding.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let folder: string
let env: Record<string, string>
let ports: PortRange

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-doctor-'))
  ports = await freeUdpPorts(4)
  env = {
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_HOST: '127.0.0.1',
    PARLEY_PORT: '0',
    PARLEY_HTTP_PORT: 'off',
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_RTC_PORTS: `${ports.first}-${ports.last}`,
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * Runs the doctor and returns its findings by subject. The tests do not control the version of OpenSSL, so `troubles`
 * ignores it.
 */
async function examine(): Promise<{ code: number | null; found: Record<string, Finding> }> {
  const run = await parleyInProcess(['doctor', '--json'], env)
  expect(run.err).toBe('')
  const findings = JSON.parse(run.out) as Finding[]
  const failures = findings.filter(({ status }) => status === 'failed')
  expect(run.code).toBe(failures.length > 0 ? 1 : 0)
  for (const { status, advice } of findings) expect(advice === undefined).toBe(status === 'ok')
  return { code: run.code, found: Object.fromEntries(findings.map((finding) => [finding.subject, finding])) }
}

const troubles = (found: Record<string, Finding>) =>
  Object.values(found).filter(({ status, subject }) => status !== 'ok' && subject !== 'libdatachannel')

const makeDataFolder = () => mkdirSync(env.PARLEY_DATA_DIR ?? '', { mode: 0o700 })

describe('the doctor', () => {
  it('finds nothing wrong before the first start, and leaves nothing behind', async () => {
    const { found } = await examine()
    expect(troubles(found)).toEqual([])
    expect(found['Node.js']?.detail).toContain(process.versions.node)
    expect(found.libdatachannel?.detail).toMatch(/^\d+\.\d+\.\d+ with OpenSSL \d+\.\d+\.\d+/)
    expect(found.FFmpeg?.detail).toMatch(/^\d+\./)
    const port = Number(found['UDP loopback']?.detail.match(/answers at port (\d+)/)?.[1])
    expect(port).toBeGreaterThanOrEqual(ports.first)
    expect(port).toBeLessThanOrEqual(ports.last)
    const { code, out } = await parley(['doctor'], env)
    expect(code).toBe(0)
    expect(out).toMatch(/^ok +Disk speed +\d+ MB\/s/m)
    expect(() => chmodSync(env.PARLEY_DATA_DIR ?? '', 0o700)).toThrow('ENOENT')
  }, 30_000)

  it('knows a running server', async () => {
    const { PARLEY_DATA_DIR: _, ...serverEnv } = env
    const server = await startTestServer(serverEnv)
    try {
      env.PARLEY_DATA_DIR = server.dataDir
      env.PARLEY_PORT = String(server.running.address.port)
      const { found } = await examine()
      expect(troubles(found)).toEqual([])
      expect(found[`TCP port ${env.PARLEY_PORT}`]?.detail).toBe('served by Parley, which is ready')
      expect(found[`UDP ports ${env.PARLEY_RTC_PORTS}`]?.detail).toBe('left alone, since Parley runs')
      expect(found.Database?.detail).toMatch(/^SQLite, .* sound$/)
      expect(found['Its key']?.status).toBe('ok')
      env.PARLEY_ANNOUNCED_IP = '192.0.2.77'
      expect((await examine()).found['UDP 192.0.2.77']?.advice).toContain('stop Parley and do this again')
    } finally {
      await server.stop()
    }
  }, 60_000)

  it('sees ports that others have', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    env.PARLEY_PORT = String((other.address() as AddressInfo).port)
    const taken = createSocket('udp4')
    taken.bind({ port: 0, exclusive: true })
    await once(taken, 'listening')
    env.PARLEY_RTC_PORTS = String(taken.address().port)
    other.on('connection', (socket) => socket.end('not TLS'))
    const { found } = await examine()
    taken.close()
    other.close()
    expect(troubles(found).map(({ status, subject }) => [status, subject])).toEqual([
      ['failed', `TCP port ${env.PARLEY_PORT}`],
      ['failed', `UDP ports ${env.PARLEY_RTC_PORTS}`],
    ])
  }, 30_000)

  it('warns of a single port for a media worker that needs two', async () => {
    env.PARLEY_RTC_PORTS = String(env.PARLEY_RTC_PORTS?.split('-')[0])
    const subject = `UDP ports ${env.PARLEY_RTC_PORTS}`
    env.PARLEY_RTC_TRANSPORT = 'libdatachannel'
    const needsTwo = await examine()
    expect(needsTwo.code).toBe(0)
    expect(needsTwo.found[subject]).toMatchObject({
      status: 'warning',
      advice: expect.stringContaining('needs two'),
    })
    env.PARLEY_RTC_TRANSPORT = 'openssl'
    expect((await examine()).found[subject]?.status).toBe('ok')
  }, 60_000)

  it('says which library carries media, and warns of an old OpenSSL only where that one does', async () => {
    env.PARLEY_RTC_TRANSPORT = 'openssl'
    const { found: withOpenSsl } = await examine()
    expect(withOpenSsl['Media by OpenSSL']).toMatchObject({ status: 'ok', detail: 'in use' })
    expect(withOpenSsl.libdatachannel).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/not in use$/),
    })
    env.PARLEY_RTC_TRANSPORT = 'libdatachannel'
    const { found: without } = await examine()
    expect(without['Media by OpenSSL']).toMatchObject({ status: 'ok', detail: 'possible here, not in use' })
    expect(without.libdatachannel?.detail).not.toContain('not in use')
  }, 60_000)

  it('sees an announced address that media does not reach', async () => {
    env.PARLEY_ANNOUNCED_IP = 'fe80::1'
    const { code, found } = await examine()
    expect(code).toBe(0)
    expect(found['UDP fe80::1']?.status).toBe('warning')
    env.PARLEY_ANNOUNCED_IP = '192.0.2.77'
    expect((await examine()).found['UDP 192.0.2.77']?.advice).toContain('forward PARLEY_RTC_PORTS')
    env.PARLEY_ANNOUNCED_IP = '127.0.0.1'
    expect((await examine()).found['UDP loopback']?.status).toBe('ok')
  }, 30_000)

  it('sees a data folder that is open to others, or none', async () => {
    makeDataFolder()
    chmodSync(env.PARLEY_DATA_DIR ?? '', 0o755)
    expect((await examine()).found['Data folder']?.status).toBe('warning')
    env.PARLEY_DATA_DIR = join(folder, 'file')
    writeFileSync(env.PARLEY_DATA_DIR, '')
    expect((await examine()).found['Data folder']?.status).toBe('failed')
  }, 30_000)

  it('sees a damaged database, and one of a newer version', async () => {
    makeDataFolder()
    const file = databaseFile(env.PARLEY_DATA_DIR ?? '')
    const db = await openDatabase(file)
    await migrate(db, { ...migrations, '9999-from-the-future': { up: async () => {} } })
    await db.destroy()
    expect((await examine()).found.Database?.detail).toContain('newer version')
    writeFileSync(file, Buffer.alloc(8192, 'x'), { flag: 'r+' })
    expect((await examine()).found.Database?.status).toBe('failed')
  }, 30_000)

  it('looks at PostgreSQL where that is used', async () => {
    const cluster = await temporaryCluster()
    try {
      env.PARLEY_DATABASE_URL = await cluster.createDatabase()
      await (await openStorage(env.PARLEY_DATABASE_URL)).close()
      const { found } = await examine()
      expect(troubles(found)).toEqual([])
      expect(found.Database?.detail).toMatch(/^PostgreSQL \d+.* answers in/)
      expect(found['Its clock']?.detail).toContain('ms apart')
    } finally {
      await cluster.remove()
    }
    env.PARLEY_DATABASE_URL = 'postgres://ada:hunter2@127.0.0.1:1/x'
    const { found } = await examine()
    expect(found.Database?.detail).toContain('ada@127.0.0.1:1/x')
    expect(JSON.stringify(found)).not.toContain('hunter2')
  }, 60_000)

  it('says which variables are no options', async () => {
    env.PARLEY_PROT = '1'
    expect((await examine()).found.Configuration?.detail).toBe('no such option: PARLEY_PROT')
  }, 30_000)
})

describe('a certificate', () => {
  const cert = () => join(folder, 'cert.pem')
  const key = () => join(folder, 'key.pem')

  async function useCertificate(names: string[], issuedAt: number): Promise<void> {
    const authority = await makeAuthority(issuedAt)
    const issued = await issueCertificate(authority, names, issuedAt)
    writeFileSync(cert(), issued.cert + authority.cert)
    writeFileSync(key(), issued.key, { mode: 0o600 })
    env.PARLEY_TLS_CERT = cert()
    env.PARLEY_TLS_KEY = key()
    env.PARLEY_PUBLIC_URL = 'https://meet.example.org'
  }

  it('is good when it is in force, has its key, its name and its issuer', async () => {
    await useCertificate(['meet.example.org'], Date.now())
    expect(troubles((await examine()).found)).toEqual([])
  }, 30_000)

  it.each([
    ['has expired', -400 * DAY_MS, 'failed'],
    ['for 4 more days', -360 * DAY_MS, 'warning'],
    ['valid only from', 3 * DAY_MS, 'failed'],
  ])('%s', async (detail, age, status) => {
    await useCertificate(['meet.example.org'], Date.now() + age)
    const { found } = await examine()
    expect(found.Certificate?.detail).toContain(detail)
    expect(found.Certificate?.status).toBe(status)
  })

  it('is not good when it lacks the host of a space', async () => {
    await useCertificate(['meet.example.org', 'acme.spaces.example.org'], Date.now())
    env.PARLEY_SERVICE_DOMAIN = 'spaces.example.org'
    await parleyInProcess(['projects', 'create', '--name', 'Acme', '--space', 'acme'], env)
    expect((await examine()).found['Its names']?.detail).toBe('has meet.example.org, acme.spaces.example.org')
    await parleyInProcess(['projects', 'create', '--name', 'Globex', '--space', 'globex'], env)
    expect((await examine()).found['Its names']).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('lacks globex.spaces.example.org'),
    })
    await useCertificate(['meet.example.org', '*.spaces.example.org'], Date.now())
    expect((await examine()).found['Its names']?.status).toBe('ok')
  }, 30_000)

  it('is not good when it lacks our name, its key or its issuer', async () => {
    await useCertificate(['other.example.org'], Date.now())
    expect((await examine()).found['Its names']?.detail).toContain('lacks meet.example.org')
    const { cert: alone } = await makeAuthority(Date.now())
    writeFileSync(cert(), alone)
    const { found } = await examine()
    expect(found['Its key']?.detail).toContain('is of another certificate')
    expect(found['Its chain']?.status).toBe('warning')
    chmodSync(key(), 0o644)
    await useCertificate(['meet.example.org'], Date.now())
    chmodSync(key(), 0o644)
    expect((await examine()).found['Its key']?.status).toBe('warning')
    rmSync(cert())
    expect((await examine()).found.Certificate?.advice).toContain('PARLEY_TLS_CERT')
  }, 30_000)

  it('knows who has the port for plain HTTP', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    env.PARLEY_HTTP_PORT = String(port)
    const subject = `HTTP port ${port}`
    const taken = await examine()
    expect(taken.code).toBe(0)
    expect(taken.found[subject]?.detail).toMatch(new RegExp(`used by .*process ${process.pid}`))
    other.close()
    await once(other, 'close')
    expect((await examine()).found[subject]?.detail).toBe('free at 127.0.0.1')

    const { PARLEY_DATA_DIR: _, ...serverEnv } = env
    const server = await startTestServer(serverEnv)
    env.PARLEY_DATA_DIR = server.dataDir
    env.PARLEY_PORT = String(server.running.address.port)
    const served = await examine()
    await server.stop()
    expect(served.found[subject]?.detail).toBe('served by Parley')
  }, 60_000)

  it('says what came of ACME', async () => {
    Object.assign(env, {
      PARLEY_ACME_EMAIL: 'ops@example.org',
      PARLEY_PUBLIC_URL: 'https://meet.example.org',
    })
    makeDataFolder()
    const subject = 'ACME meet.example.org'
    const first = await examine()
    expect(first.code).toBe(0)
    expect(first.found[subject]?.detail).toBe('has no certificate yet')
    expect(first.found.ACME?.advice).toContain('443')

    const dataDir = env.PARLEY_DATA_DIR ?? ''
    const directoryUrl = 'https://acme-v02.api.letsencrypt.org/directory'
    const nextTryAt = Date.now() + 60_000
    const record = { directoryUrl, lastTriedAt: Date.now(), failures: 1, nextTryAt, isDemanded: false }
    await keepAttempt(dataDir, 'meet.example.org', { ...record, problem: 'no such name.' })
    const second = await examine()
    expect(second.code).toBe(1)
    expect(second.found[subject]?.advice).toBe(
      `no such name. Next attempt: ${new Date(nextTryAt).toISOString()}.`,
    )

    const pair = await issueCertificate(await makeAuthority(Date.now()), ['meet.example.org'], Date.now())
    await keepCertificate(dataDir, 'meet.example.org', pair)
    expect((await examine()).found[subject]).toMatchObject({
      status: 'warning',
      advice: expect.stringContaining('no such name'),
    })
    await keepAttempt(dataDir, 'meet.example.org', { ...record, failures: 0, nextTryAt: null, problem: null })
    expect((await examine()).found[subject]).toMatchObject({ status: 'ok' })
  }, 30_000)
})

describe('a store of objects', () => {
  it('is written, read and listed, and one that is away is told', async () => {
    const store = await ObjectStoreServer.start()
    try {
      env = { ...env, ...store.env }
      expect((await examine()).found['Object store']?.detail).toMatch(/takes 64 KB in \d+ ms$/)
      await store.kill()
      const { code, found } = await examine()
      expect(found['Object store']?.detail).toMatch(/cannot write: .*ECONNREFUSED/)
      expect(code).toBe(1)
    } finally {
      await store.stop()
    }
  })
})
