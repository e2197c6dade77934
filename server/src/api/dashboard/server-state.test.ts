import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, signIn } from '../../testing/signed-in-user.ts'

const SECRET = 'oidc-s3cret'
const PATHS = ['version', 'configuration', 'log', 'log/live', 'drain', 'backups']

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    PARLEY_OIDC_CLIENT_SECRET: SECRET,
    PARLEY_PROT: '1',
    PARLEY_MIN_FREE_MB: '1',
  })
})
afterAll(() => server.stop())

const ask = (path: string, options = {}) => server.call(`/api/dashboard/server/${path}`, options)
const backedUp = (from = server) =>
  expect
    .poll(async () => (await from.call('/api/dashboard/server/backups')).json, { timeout: 20_000 })
    .toMatchObject({ running: false })

describe('the server as its operator sees it', () => {
  it('tells what runs, and the configuration without secrets', async () => {
    const { json } = await ask('version')
    expect(json).toMatchObject({ node: process.version, version: expect.stringMatching(/^\d+\.\d+/) })
    expect(Date.now() - Date.parse(json.started_at)).toBeLessThan(60_000)
    const { status, text, json: shown } = await ask('configuration')
    expect(status).toBe(200)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain(server.apiToken)
    expect(shown.data).toContainEqual(
      expect.objectContaining({ name: 'PARLEY_API_TOKEN', value: '(secret)', source: 'environment' }),
    )
    expect(shown.data).toContainEqual(
      expect.objectContaining({ name: 'PARLEY_MAX_AUDIENCE', value: '1000', source: 'default' }),
    )
    expect(shown.unknown).toContain('PARLEY_PROT')
  })

  it('is for owners of the first project alone', async () => {
    const [secret, project_id] = ['of-another-project', newId()]
    await server.storage.projects.insert({ id: project_id, name: 'Other', created_at: Date.now() })
    await server.storage.apiTokens.insert(
      sampleApiToken({ project_id, hash: hashApiToken(secret), scopes: ['management', 'video'] }),
    )
    const headers = { authorization: basic(project_id, secret) }
    for (const role of ['viewer', 'operator'] as const) {
      await addUser(server.storage, server.projectId, role, role)
    }
    const callers = [
      (path: string, more = {}) => ask(path, { credentials: null, headers, ...more }),
      ...(await Promise.all(['viewer', 'operator'].map((name) => signIn(server, name)))).map(
        ({ call }) =>
          (path: string, more = {}) =>
            call(`/api/dashboard/server/${path}`, more),
      ),
    ]
    for (const call of callers) {
      for (const path of PATHS) expect((await call(path)).status, path).toBe(403)
      expect((await call('drain', { method: 'PUT', body: { draining: true } })).status).toBe(403)
      expect((await call('backups', { method: 'POST' })).status).toBe(403)
    }
    expect((await ask('drain')).json).toEqual({ draining: false, sessions: 0 })
    expect((await ask('backups')).json).toMatchObject({ running: false, data: [] })
  })

  it('is emptied and comes back, which everybody can see', async () => {
    const set = (draining: boolean) => ask('drain', { method: 'PUT', body: { draining } })
    expect((await set(true)).json).toEqual({ draining: true, sessions: 0 })
    await expect
      .poll(async () => (await server.call('/readyz', { credentials: null })).json)
      .toMatchObject({ status: 'ready', warnings: [{ code: 'draining' }] })
    expect((await set(true)).json.draining).toBe(true)
    expect((await set(false)).json.draining).toBe(false)
    const actions = (await server.call('/api/management/audit_entries')).json.data.map(
      ({ action }: { action: string }) => action,
    )
    expect(actions.slice(0, 2)).toEqual(['server.undrain', 'server.drain'])
  })
})

describe('a backup', () => {
  it('is made once for two who ask at a time, is listed, and has no backups in it', async () => {
    const start = () => ask('backups', { method: 'POST' })
    const answers = await Promise.all([start(), start()])
    expect(answers.map(({ status, json }) => [status, json.running])).toEqual([
      [200, true],
      [200, true],
    ])
    await backedUp()
    await start()
    await backedUp()
    const { data, problem, folder } = (await ask('backups')).json
    expect(problem).toBeNull()
    expect(data).toHaveLength(2)
    expect(data[0].bytes).toBeGreaterThan(10_000)
    expect(Date.parse(data[0].created_at)).toBeGreaterThan(Date.parse(data[1].created_at))
    expect(readdirSync(folder).sort()).toEqual(data.map(({ name }: { name: string }) => name).sort())
    expect(existsSync(join(folder, data[0].name, 'parley.db'))).toBe(true)
    expect(existsSync(join(folder, data[0].name, 'backups'))).toBe(false)
    const { json } = await server.call('/api/management/audit_entries')
    const made = json.data.filter(({ action }: { action: string }) => action === 'backup.create')
    expect(made).toHaveLength(2)
    expect(made[0].actor.kind).toBe('api-token')
  }, 40_000)

  it('is refused without room, and says why there is none in a folder that takes none', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-backups-'))
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const small = await startTestServer({ PARLEY_BACKUP_DIR: file, PARLEY_MIN_FREE_MB: '0' })
    const full = await startTestServer({ PARLEY_MIN_FREE_MB: '1000000' })
    const start = (one: TestServer) => one.call('/api/dashboard/server/backups', { method: 'POST' })
    try {
      const refused = await start(full)
      expect(refused.status).toBe(503)
      expect(refused.json.errors[0].message).toContain('PARLEY_BACKUP_DIR')
      expect((await full.call('/api/dashboard/server/backups')).json.running).toBe(false)
      await start(small)
      await backedUp(small)
      expect((await small.call('/api/dashboard/server/backups')).json.problem).toContain(file)
    } finally {
      await small.stop()
      await full.stop()
      rmSync(folder, { recursive: true })
    }
  }, 40_000)
})
