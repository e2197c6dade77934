import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { newId } from '../ids.ts'
import { createCredentials } from '../projects/credentials.ts'
import { createRoomTokens } from '../rooms/room-tokens.ts'
import { loadServerSecrets } from '../secrets/server-secrets.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { sampleSession } from '../testing/sample-records.ts'
import { sampleRoomTokenGrant } from '../testing/sample-room-token-grant.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { parley, parleyInProcess } from './parley-command.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Signs in with an API token, as a request to a running server does. */
async function signIn(storage: Storage, projectId: string, secret: string) {
  const credentials = createCredentials({ storage, clock: systemClock })
  const token = await credentials.find(projectId, secret)
  if (token) credentials.noteUse(token)
  return token
}

describe('the command line', () => {
  it('shows what there is, and for each command what it takes', async () => {
    const overview = await parleyInProcess([])
    expect(overview).toMatchObject({ code: 0, err: '' })
    const names = [...overview.out.matchAll(/^ {2}([a-z]+(?: [a-z-]+)?) {2,}\S/gm)].map(
      ([, name = '']) => name,
    )
    expect(names.length).toBeGreaterThan(7)
    for (const name of names) {
      const help = await parleyInProcess([...name.split(' '), '--help'])
      expect(help.code, name).toBe(0)
      expect(help.out).toMatch(new RegExp(`^Usage: parley ${name}\\b`))
      expect(help.out, name).toMatch(/^ {2}--json /m)
      expect((await parleyInProcess(['help', ...name.split(' ')])).out).toBe(help.out)
    }
  }, 60_000)

  it('shows the commands of a group', async () => {
    const group = await parleyInProcess(['tokens', '--help'])
    expect(group.out).toMatch(/^ {2}tokens list /m)
    expect(group.out).not.toContain('projects')
    expect(await parleyInProcess(['help', 'tokens'])).toEqual(group)
  }, 30_000)

  it('says its version', async () => {
    expect((await parley(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([
    [['frobnicate'], /no command "frobnicate"/],
    [['help', 'frobnicate'], /no command "frobnicate"/],
    [['tokens', 'frobnicate'], /no command "tokens frobnicate"/],
    [['projects', 'create'], /--name is missing/],
    [['projects', 'list', 'extra'], /takes nothing/],
    [['projects', 'list', '--color'], /--color/],
    [['projects', 'list', '--json=yes'], /--json/],
    [['tokens', 'revoke', '--project', 'p'], /takes <token-id>/],
  ])('answers 2 when it does not understand: %j', async (words, message) => {
    const run = await parleyInProcess(words)
    expect(run).toMatchObject({ code: 2, out: '' })
    expect(run.err).toMatch(message)
    expect(run.err).not.toMatch(/^\s+at /m)
  })

  it('tells the shell, and keeps what it prints apart from what it notes', async () => {
    const run = await parley(['frobnicate'])
    expect(run).toMatchObject({ code: 2, out: '' })
    expect(run).toEqual(await parleyInProcess(['frobnicate']))
  })

  it('answers 1, in words, when it cannot be done', async () => {
    const nowhere = await parleyInProcess(['projects', 'list', '--data-dir', join(folder, 'nowhere')])
    expect(nowhere).toMatchObject({ code: 1, out: '' })
    expect(nowhere.err).toContain('There is no database in')
    const misconfigured = await parleyInProcess(['config', 'show'], { PARLEY_PORT: 'x' })
    expect(misconfigured.code).toBe(1)
    expect(misconfigured.err).toContain('PARLEY_PORT must be')
    const unreachable = await parleyInProcess(['projects', 'list'], {
      PARLEY_DATABASE_URL: 'postgres://u:hunter2@no-such-host.invalid/x',
    })
    expect(unreachable.code).toBe(1)
    expect(unreachable.err).toMatch(/^PostgreSQL at u@no-such-host.invalid\/x cannot be used/)
    expect(unreachable.err).not.toMatch(/hunter2|^\s+at /m)
    const nothingSaved = await parley(['backup', join(folder, 'b')], {
      PARLEY_DATABASE_URL: 'postgres://u:hunter2@localhost:1/x',
    })
    expect(nothingSaved.err).toBe('PostgreSQL at u@localhost:1/x cannot be used: nothing listens there\n')
    mkdirSync(join(folder, 'broken'))
    writeFileSync(join(folder, 'broken', 'parley.db'), 'no database')
    const broken = await parleyInProcess(['projects', 'list', '--data-dir', join(folder, 'broken')])
    expect(broken).toEqual({ code: 1, out: '', err: 'file is not a database\n' })
  }, 60_000)

  it('shows the configuration without its secrets', async () => {
    const env = {
      PARLEY_API_TOKEN: 'hunter2hunter2',
      PARLEY_DATABASE_URL: 'postgres://u:hunter2@h/d',
      PARLEY_RTC_PORTS: '5000-5003',
      PARLEY_RECONNECT_GRACE_SECONDS: '45',
      PARLEY_PROT: '1',
    }
    for (const words of [
      ['config', 'show'],
      ['config', 'show', '--json'],
    ]) {
      const run = await parleyInProcess(words, env)
      expect(run.code).toBe(0)
      expect(run.out + run.err).not.toContain('hunter2')
      expect(run.out).toMatch(/PARLEY_API_TOKEN.*\(secret\).*environment/)
      expect(run.err).toContain('no option PARLEY_PROT')
    }
    expect((await parleyInProcess(['config', 'show'], env)).out).toMatch(
      /^PARLEY_RTC_PORTS +5000-5003 +\(environment\)$/m,
    )
    const values = JSON.parse((await parleyInProcess(['config', 'show', '--json'], env)).out)
    expect(values).toContainEqual({
      variable: 'PARLEY_RECONNECT_GRACE_SECONDS',
      value: 45,
      source: 'environment',
    })
    expect(values).toContainEqual({ variable: 'PARLEY_REAL_TIME', value: 1, source: 'default' })
  })
})

describe.each(databaseKinds)('with $kind', ({ kind, startServer }) => {
  let server: DatabaseServer
  let env: Record<string, string>
  let storage: Storage

  beforeAll(async () => {
    server = await startServer()
    const dataDir = join(folder, kind)
    env = { PARLEY_DATA_DIR: dataDir }
    if (kind === 'PostgreSQL') env.PARLEY_DATABASE_URL = await server.emptyDatabase()
    const created = await parley(['projects', 'create', '--name', 'Première', '--id', 'first'], env)
    expect(created).toEqual({ code: 0, out: 'first\n', err: '' })
    storage = await openStorage(env.PARLEY_DATABASE_URL ?? join(dataDir, 'parley.db'))
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  it('keeps the data folder to its owner, and makes none where it needs none', () => {
    if (kind === 'SQLite') expect(statSync(env.PARLEY_DATA_DIR ?? '').mode & 0o777).toBe(0o700)
    else expect(() => statSync(env.PARLEY_DATA_DIR ?? '')).toThrow()
  })

  it('adds people, changes their roles, and keeps an owner', async () => {
    const run = (...words: string[]) => parleyInProcess(['users', ...words, '--project', 'first'], env)
    const added = await run('add', 'ada@example.org', '--role', 'viewer')
    expect(added).toMatchObject({ code: 0 })
    expect(added.out).toMatch(/^https:\/\/\S+\/sign-in#invitation=[\w-]{43}\n$/)
    const owner = JSON.parse((await run('invite', '--owner', '--json')).out)
    expect(owner).toMatchObject({ name: null, role: 'owner' })
    expect(owner.link).toMatch(/#owner=[\w-]{43}$/)

    expect((await run('role', 'ADA@example.org', '--role', 'operator')).code).toBe(0)
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
      { name: 'ada@example.org', role: 'operator', signs_in_with: 'invited', last_sign_in_at: null },
    ])
    expect((await run('list')).out).toMatch(/^ada@example.org +operator +invited +never/m)
    expect((await run('reset', 'ada@example.org')).out).toMatch(/#invitation=/)
    expect((await run('remove', 'ada@example.org')).code).toBe(0)
    expect(await run('remove', 'ada@example.org')).toMatchObject({ code: 1, out: '' })
    expect((await run('add', 'two words', '--role', 'viewer')).err).toMatch(/1 to 100 letters/)
    expect((await run('add', 'x', '--role', 'king')).code).toBe(2)
    expect((await run('invite')).code).toBe(2)
    const log = (await parleyInProcess(['audit', '--project', 'first'], env)).out
    for (const act of ['add', 'role', 'reset', 'remove', 'invite_owner']) expect(log).toContain(`user.${act}`)
    expect(log).not.toContain(owner.link.split('=')[1])
  }, 30_000)

  it('makes, rotates and revokes tokens that a running server takes at once', async () => {
    const project = ['--project', 'first']
    const made = await parleyInProcess(
      ['tokens', 'create', ...project, '--scopes', 'video,chat', '--name', 'ci'],
      env,
    )
    expect(made.code).toBe(0)
    const secret = made.out.trim()
    expect(secret).toMatch(/^PT[0-9a-f]{48}$/)
    expect((await signIn(storage, 'first', secret))?.scopes).toEqual(['chat', 'video'])

    const listed = await parleyInProcess(['tokens', 'list', ...project, '--json'], env)
    const [token] = JSON.parse(listed.out)
    for (const time of [token.created_at, token.last_used_at]) expect(new Date(time).toJSON()).toBe(time)
    expect(token).toMatchObject({ name: 'ci', scopes: ['chat', 'video'], project_id: 'first' })
    expect(listed.out).not.toMatch(/hash|PT[0-9a-f]/)
    expect((await parleyInProcess(['tokens', 'list', ...project], env)).out).toContain(token.id)

    const rotated = await parleyInProcess(['tokens', 'rotate', token.id, ...project, '--json'], env)
    const fresh = JSON.parse(rotated.out).token
    expect(await signIn(storage, 'first', secret)).toBeUndefined()
    expect(await signIn(storage, 'first', fresh)).toBeDefined()

    const revoked = await parleyInProcess(['tokens', 'revoke', token.id, ...project, '--json'], env)
    expect(revoked).toEqual({ code: 0, out: `{"id":"${token.id}","revoked":true}\n`, err: '' })
    expect(await signIn(storage, 'first', fresh)).toBeUndefined()
    const again = await parleyInProcess(['tokens', 'revoke', token.id, ...project], env)
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toContain('nothing with this id')
  }, 60_000)

  it('revokes room tokens for the server that made them, and writes that down', async () => {
    const project = ['--project', 'first']
    const unmade = await parleyInProcess(['tokens', 'revoke-room', newId(), ...project], env)
    expect(unmade).toMatchObject({ code: 1, out: '' })
    expect(unmade.err).toMatch(/no secrets.root\.key in .*PARLEY_DATA_DIR/)
    const { roomTokenKey: key } = loadServerSecrets({ dataDir: env.PARLEY_DATA_DIR ?? '' })
    const tokens = createRoomTokens({ storage, clock: systemClock, key })
    const make = () => tokens.create(sampleRoomTokenGrant({ project_id: 'first' }), 'localhost')
    for (const wanted of [make, async () => String(decodeJwt(await make()).jti)]) {
      const text = await wanted()
      const id = text.includes('.') ? String(decodeJwt(text).jti) : text
      const revoked = await parleyInProcess(['tokens', 'revoke-room', text, ...project, '--json'], env)
      expect(revoked).toEqual({ code: 0, out: `{"id":"${id}","revoked":true}\n`, err: '' })
      expect(await storage.revokedRoomTokens.findAmong([id])).toMatchObject([{ project_id: 'first' }])
      const [entry] = await storage.audit.list({ projectId: 'first' }, 1)
      expect(entry).toMatchObject({ action: 'room_token.revoke', actor_kind: 'os-user', target: id })
    }
    for (const wrong of [newId(), 'nonsense']) {
      expect(await parleyInProcess(['tokens', 'revoke-room', wrong, ...project], env)).toMatchObject({
        code: 1,
      })
    }
  }, 60_000)

  it('refuses unknown scopes, projects and ids that are taken', async () => {
    const unknown = await parleyInProcess(
      ['tokens', 'create', '--project', 'first', '--scopes', 'video,cinema'],
      env,
    )
    expect(unknown.code).toBe(1)
    expect(unknown.err).toContain('scopes: must be one or more of calling, chat')
    const nobody = await parleyInProcess(['tokens', 'create', '--project', 'nobody', '--scopes', 'all'], env)
    expect(nobody.err).toContain('no project nobody')
    const taken = await parleyInProcess(['projects', 'create', '--name', 'x', '--id', 'first'], env)
    expect(taken).toMatchObject({ code: 1, out: '' })
  }, 60_000)

  it('shows the space of each project, and moves one to another', async () => {
    const creation = ['projects', 'create', '--name', 'Acme', '--space', 'acme', '--json']
    const spaced = { ...env, PARLEY_SERVICE_DOMAIN: 'meet.example.org' }
    const made = await parleyInProcess(creation, spaced)
    const { id, space } = JSON.parse(made.out)
    expect([space, made.err]).toEqual(['acme', ''])
    expect((await parleyInProcess(creation, env)).err).toContain('set PARLEY_SERVICE_DOMAIN')
    const listed = async () => (await parleyInProcess(['projects', 'list'], env)).out
    expect(await listed()).toMatch(new RegExp(`^${id} +\\S+ +acme +Acme$`, 'm'))
    const moved = await parleyInProcess(['projects', 'move', id, '--space', 'globex'], spaced)
    expect(moved).toEqual({ code: 0, out: '', err: `${id} is in the space globex.\n` })
    expect((await parleyInProcess(['projects', 'move', id], env)).err).toContain('no space')
    expect(await listed()).toMatch(new RegExp(`^${id} +\\S+ +- +Acme$`, 'm'))
    const wrong = await parleyInProcess(['projects', 'move', id, '--space', 'a.b'], env)
    expect(wrong).toMatchObject({ code: 1, out: '' })
    expect(wrong.err).toContain('space: must be')
    expect((await parleyInProcess(['projects', 'move', 'nobody', '--space', 'a'], env)).err).toContain(
      'no project nobody',
    )
  }, 60_000)

  it('deletes a project when told so in earnest, and when nobody is in it', async () => {
    const made = await parleyInProcess(['projects', 'create', '--name', 'Doomed', '--json'], env)
    const { id } = JSON.parse(made.out)
    const session = sampleSession({ project_id: id })
    await storage.sessions.insert(session)
    expect((await parleyInProcess(['projects', 'delete', id], env)).err).toContain('Add --yes')
    expect((await parleyInProcess(['projects', 'delete', id, '--yes'], env)).err).toContain('in progress (1)')
    await storage.sessions.update(id, session.id, { status: 'completed' })
    const deleted = await parleyInProcess(['projects', 'delete', id, '--yes', '--json'], env)
    expect(deleted).toEqual({ code: 0, out: `{"id":"${id}","deleted":true}\n`, err: '' })
    const listed = await parleyInProcess(['projects', 'list'], env)
    expect(listed.out).toContain('Première')
    expect(listed.out).not.toContain(id)
    expect((await parleyInProcess(['projects', 'delete', id, '--yes'], env)).err).toContain(
      `no project ${id}`,
    )
  }, 60_000)

  it('shows what was done, newest first, to people and to programs', async () => {
    const project = ['--project', 'first']
    await parleyInProcess(['tokens', 'create', ...project, '--scopes', 'fax', '--name', 'esc'], env)
    const read = async (...words: string[]) => {
      const run = await parleyInProcess(['audit', ...project, '--json', ...words], env)
      return JSON.parse(run.out)
    }
    const [newest, ...older] = await read('--since', '1h')
    expect(newest).toEqual({
      id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      actor: { kind: 'os-user', name: expect.stringContaining(userInfo().username) },
      action: 'api_token.create',
      project_id: 'first',
      target: expect.any(String),
      details: { name: 'esc', scopes: ['fax'] },
    })
    expect(older.at(-1)).toMatchObject({ action: 'project.create' })
    expect(await read('--limit', '1')).toEqual([newest])
    expect(await read('--until', newest.created_at, '--since', newest.created_at)).toEqual([newest])
    expect(await read('--until', '2001-01-01')).toEqual([])
    const shown = await parleyInProcess(['audit', '--limit', '1'], env)
    expect(shown.err).toMatch(/older entries.*--until \d{4}-/)
    expect(shown.out).toContain(`${newest.created_at}  ${newest.actor.name}`)
    for (const [option, value] of [
      ['since', 'yesterday'],
      ['until', '2026-13-01'],
      ['limit', '0'],
    ]) {
      const run = await parleyInProcess(['audit', `--${option}`, value ?? ''], env)
      expect(run).toMatchObject({ code: 2, out: '' })
      expect(run.err).toContain(`--${option} must be`)
    }
  }, 60_000)
})
