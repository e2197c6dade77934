import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeAuthority } from '../../tls/authority.ts'
import { parleyInProcess } from '../parley-command.ts'
import { readAuthority, type TrustedAuthority } from './authority.ts'
import { changeStores, type Machine, type Stores } from './change-stores.ts'
import { keychainCommand } from './keychain.ts'
import { type Outcome, shellLine, type Wish } from './outcome.ts'

let folder: string
let home: string
let authority: TrustedAuthority
let machine: Machine

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-trust-'))
  home = join(folder, 'home')
  mkdirSync(join(folder, 'data', 'tls'), { recursive: true })
  for (const name of ['anchors', 'bundles', 'hooks', 'home']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'data', 'tls', 'ca.pem'), (await makeAuthority(Date.now())).cert)
  authority = await readAuthority({ dataDir: join(folder, 'data') })
  // The real program of the system, on folders of this test.
  const program = ['update-ca-certificates', '--hooksdir', join(folder, 'hooks')]
  const folders = ['--localcertsdir', join(folder, 'anchors'), '--etccertsdir', join(folder, 'bundles')]
  const anchors = {
    system: 'Debian, Ubuntu',
    folder: join(folder, 'anchors'),
    update: [...program, ...folders],
    refresh: [...program, '--fresh', ...folders],
  }
  machine = { platform: 'linux', home, env: { PATH: process.env.PATH }, isRoot: false, anchors }
})
afterEach(() => rmSync(folder, { recursive: true }))

async function change(wish: Wish, stores: Stores, differing: Partial<Machine> = {}): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for await (const outcome of changeStores(wish, authority, stores, { ...machine, ...differing })) {
    outcomes.push(outcome)
  }
  return outcomes
}

const statuses = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status)

/** An NSS database as a browser makes it. */
function makeDatabase(place: string, ...password: string[]): string {
  const database = join(home, place)
  mkdirSync(database, { recursive: true })
  const protection = password.length > 0 ? password : ['--empty-password']
  execFileSync('certutil', ['-N', '-d', `sql:${database}`, ...protection], { stdio: 'ignore' })
  return database
}

const trustIn = (database: string) =>
  execFileSync('certutil', ['-L', '-d', `sql:${database}`], { encoding: 'utf8' })
    .split('\n')
    .find((line) => line.startsWith(authority.name))
    ?.slice(authority.name.length)
    .trim()

it("goes into the system's bundle once, and out again", async () => {
  const bundle = () => readFileSync(join(folder, 'bundles', 'ca-certificates.crt'), 'utf8')
  const pem = authority.certificate.toString().trim()
  expect(statuses(await change('remove', 'system'))).toEqual(['unchanged'])
  expect(statuses(await change('add', 'system'))).toEqual(['added'])
  expect(bundle().split(pem)).toHaveLength(2)
  expect(statuses(await change('add', 'system'))).toEqual(['unchanged'])
  expect(statuses(await change('remove', 'system'))).toEqual(['removed'])
  expect(bundle()).not.toContain(pem)
  expect(statuses(await change('remove', 'system'))).toEqual(['unchanged'])
}, 60_000)

it('says what to run where the system refuses, and leaves nothing half done', async () => {
  const failing = ['sh', '-c', 'echo no space left >&2; exit 3']
  const anchors = { ...(machine.anchors ?? never()), update: failing }
  const [failed] = await change('add', 'system', { anchors })
  expect(failed).toMatchObject({ status: 'not done', reason: expect.stringContaining('no space left') })
  expect(existsSync(failed?.place ?? '')).toBe(false)

  // A folder that is not there refuses everybody, root too.
  const [refused] = await change('add', 'system', { anchors: { ...anchors, folder: '/proc/nothing' } })
  expect(refused?.status).toBe('not done')
  expect(refused?.commands?.[0]).toBe(
    `sudo install -m 644 ${authority.file} /proc/nothing/${authority.name.toLowerCase().replaceAll(' ', '-')}.crt`,
  )
  const [none] = await change('add', 'system', { anchors: undefined })
  expect(none?.reason).toContain('ca-certificates')
})

function never(): never {
  throw new Error('the test has a store')
}

it('goes into the stores of all browsers once, and out again, beside what is in them', async () => {
  const databases = [
    '.pki/nssdb',
    '.mozilla/firefox/one.default',
    'snap/firefox/common/.mozilla/firefox/two.x',
  ]
  const [chromium = '', ...firefox] = databases.map((place) => makeDatabase(place))
  mkdirSync(join(home, '.mozilla/firefox/Crash Reports'))
  const other = join(folder, 'other.pem')
  writeFileSync(other, (await makeAuthority(Date.now())).cert)
  execFileSync('certutil', ['-A', '-d', `sql:${chromium}`, '-n', 'Other', '-t', 'C,,', '-i', other])

  expect(statuses(await change('add', 'browsers'))).toEqual(['added', 'added', 'added'])
  for (const database of [chromium, ...firefox]) expect(trustIn(database)).toBe('C,,')
  expect(statuses(await change('add', 'browsers'))).toEqual(['unchanged', 'unchanged', 'unchanged'])

  execFileSync('certutil', ['-M', '-d', `sql:${chromium}`, '-n', authority.name, '-t', 'p,,'])
  expect(statuses(await change('add', 'browsers'))).toEqual(['added', 'unchanged', 'unchanged'])
  expect(trustIn(chromium)).toBe('C,,')

  expect(statuses(await change('remove', 'browsers'))).toEqual(['removed', 'removed', 'removed'])
  expect(statuses(await change('remove', 'browsers'))).toEqual(['unchanged', 'unchanged', 'unchanged'])
  expect(execFileSync('certutil', ['-L', '-d', `sql:${chromium}`], { encoding: 'utf8' })).toMatch(/^Other/m)
})

it('makes the store of a Chromium that has not run yet, and none where there is no Chromium', async () => {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  expect(await change('add', 'browsers', { env: { PATH: '/usr/sbin' } })).toEqual([])
  writeFileSync(join(programs, 'chromium'), '')
  const env = { PATH: `${programs}:${process.env.PATH}` }
  expect(statuses(await change('remove', 'browsers', { env }))).toEqual(['unchanged'])
  expect(existsSync(join(home, '.pki'))).toBe(false)
  expect(statuses(await change('add', 'browsers', { env }))).toEqual(['added'])
  expect(trustIn(join(home, '.pki/nssdb'))).toBe('C,,')
})

it('says why a store of a browser cannot be changed', async () => {
  const database = makeDatabase('.pki/nssdb')
  const [missing] = await change('add', 'browsers', { env: { PATH: folder } })
  expect(missing?.reason).toContain('sudo apt install libnss3-tools')

  writeFileSync(join(database, 'cert9.db'), 'this is no database at all, and never was one')
  const [broken] = await change('add', 'browsers')
  expect(broken).toMatchObject({ status: 'not done', reason: expect.stringContaining('SEC_ERROR') })

  rmSync(join(home, '.pki'), { recursive: true })
  const password = join(folder, 'password')
  writeFileSync(password, 'primary-password')
  const firefox = makeDatabase('.mozilla/firefox/locked', '-f', password)
  const locked = (await change('add', 'browsers')).find(({ place }) => place === firefox)
  expect(locked).toMatchObject({ status: 'not done', reason: expect.stringContaining('primary password') })
  expect(trustIn(firefox)).toBeUndefined()

  const env = { ...machine.env, SUDO_USER: 'ada' }
  const [foreign] = await change('remove', 'browsers', { env, isRoot: true })
  expect(foreign?.commands).toEqual(['npx parley trust --only browsers --remove'])
})

it('has the commands of macOS', () => {
  const { file, certificate } = authority
  const keychain = '/Library/Keychains/System.keychain'
  expect(shellLine(keychainCommand('add', { ...authority, file: '/Users/ada/my data/ca.pem' }))).toBe(
    `security add-trusted-cert -d -r trustRoot -k ${keychain} '/Users/ada/my data/ca.pem'`,
  )
  const hash = certificate.fingerprint256.replaceAll(':', '')
  expect(shellLine(keychainCommand('remove', { ...authority, file }))).toBe(
    `security delete-certificate -Z ${hash} -t ${keychain}`,
  )
})

it('is a command', async () => {
  const database = makeDatabase('.pki/nssdb')
  const env = { PATH: process.env.PATH ?? '', HOME: home, PARLEY_DATA_DIR: join(folder, 'data') }
  const added = await parleyInProcess(['trust', '--only', 'browsers'], env)
  expect(added).toMatchObject({ code: 0, out: `added      Chromium, Chrome, Edge: ${database}\n` })
  expect(added.err).toContain(authority.certificate.fingerprint256)
  const removed = await parleyInProcess(['trust', '--only', 'browsers', '--remove', '--json'], env)
  expect(JSON.parse(removed.out)).toMatchObject([{ status: 'removed', place: database }])

  expect((await parleyInProcess(['trust', '--only', 'nothing'], env)).code).toBe(2)
  const early = await parleyInProcess(['trust'], { ...env, PARLEY_DATA_DIR: folder })
  expect(early).toMatchObject({ code: 1, err: expect.stringContaining('start it once') })
})
