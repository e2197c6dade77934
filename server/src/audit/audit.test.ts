import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createApiTokens } from '../projects/api-tokens.ts'
import { ensureFirstProject } from '../projects/first-project.ts'
import { createProjects } from '../projects/projects.ts'
import { hashApiToken } from '../secrets/api-token-secret.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { removalOnDisk } from '../testing/removal-on-disk.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { type Actor, recordAct } from './audit.ts'

const actor: Actor = { kind: 'os-user', name: 'ada' }

describe.each(databaseKinds)('the audit log in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  let nowMs: number
  const clock = { now: () => ++nowMs, monotonicMs: () => ++nowMs, after: () => ({ cancel() {} }) }
  const projects = () =>
    createProjects({ storage, clock, actor, removal: removalOnDisk(storage, '/nowhere') })
  const tokens = () => createApiTokens({ storage, clock, actor })
  const actions = async () => (await storage.audit.list({}, 100)).map(({ action }) => action).reverse()

  beforeAll(async () => {
    server = await startServer()
  }, 60_000)
  afterAll(() => server.remove())
  beforeEach(async () => {
    nowMs = 1000
    storage = await openStorage(await server.emptyDatabase())
    return () => storage.close()
  })

  it('has every act on projects and tokens, with who, what and when, and no secret', async () => {
    const { id } = await projects().create('One', 'one', 'acme')
    await projects().move(id, null)
    const { token, secret } = await tokens().create(id, 'ci', ['video', 'chat'])
    const { secret: second } = await tokens().rotate(id, token.id)
    await tokens().revoke(id, token.id)
    const entries = await storage.audit.list({}, 100)
    expect(entries.map(({ action, target, details }) => [action, target, details]).reverse()).toEqual([
      ['project.create', null, { name: 'One', space: 'acme' }],
      ['project.move', null, { from: 'acme', to: null }],
      ['api_token.create', token.id, { name: 'ci', scopes: ['chat', 'video'] }],
      ['api_token.rotate', token.id, {}],
      ['api_token.revoke', token.id, {}],
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({ actor_kind: 'os-user', actor: 'ada', about_project: 'one' })
      expect(entry.created_at).toBeGreaterThan(1000)
    }
    const text = JSON.stringify(entries)
    for (const one of [secret, second]) {
      expect(text).not.toContain(one)
      expect(text).not.toContain(hashApiToken(one))
    }
  })

  it('outlives the project, with the entry that says who deleted it', async () => {
    await projects().create('Doomed', 'doomed')
    await tokens().create('doomed', 'ci', ['video'])
    await projects().delete('doomed')
    expect(await actions()).toEqual([
      'project.create',
      'api_token.create',
      'project.delete_begin',
      'project.delete',
    ])
    expect(await storage.audit.list({ projectId: 'doomed' }, 100)).toHaveLength(4)
  })

  it('has no entry for an act that was refused', async () => {
    await projects().create('One', 'one')
    const refused = [
      projects().create('Again', 'one'),
      projects().move('nobody', 'acme'),
      projects().delete('nobody'),
      tokens().create('nobody', 'x', ['video']),
      tokens().rotate('one', 'nothing'),
      tokens().revoke('one', 'nothing'),
    ]
    for (const { status } of await Promise.allSettled(refused)) expect(status).toBe('rejected')
    expect(await actions()).toEqual(['project.create'])
  })

  it('and the act stand or fall together', async () => {
    await projects().create('One', 'one')
    const { token } = await tokens().create('one', 'ci', ['video'])
    const cut = storage.transaction(async (tx) => {
      await tx.apiTokens.delete('one', token.id)
      await recordAct(tx, { actor, action: 'api_token.revoke', projectId: 'one', target: token.id }, 1)
      throw new Error('power cut')
    })
    await expect(cut).rejects.toThrow('power cut')
    expect(await tokens().list('one')).toHaveLength(1)
    expect(await actions()).toEqual(['project.create', 'api_token.create'])
  })

  it('has what the server does with the token of its configuration', async () => {
    await ensureFirstProject(storage, { projectId: 'p', apiToken: 'one' }, 1)
    await ensureFirstProject(storage, { projectId: 'p', apiToken: 'one' }, 2)
    expect(await actions()).toEqual(['project.create', 'api_token.create'])
    await ensureFirstProject(storage, { projectId: 'p', apiToken: 'two' }, 3)
    expect((await actions()).slice(2)).toEqual(['api_token.revoke', 'api_token.create'])
    expect(new Set((await storage.audit.list({}, 9)).map((entry) => entry.actor))).toEqual(
      new Set(['server']),
    )
  })

  it('can be narrowed to a project and a time, and is read newest first', async () => {
    const act = { actor, action: 'project.move' } as const
    for (const at of [10, 20, 30]) await recordAct(storage, { ...act, projectId: 'a' }, at)
    await recordAct(storage, { ...act, projectId: null }, 25)
    const times = async (...options: Parameters<Storage['audit']['list']>) =>
      (await storage.audit.list(...options)).map((entry) => entry.created_at)
    expect(await times({}, 100)).toEqual([30, 25, 20, 10])
    expect(await times({}, 2)).toEqual([30, 25])
    expect(await times({ projectId: 'a', since: 20 }, 100)).toEqual([30, 20])
    expect(await times({ until: 25 }, 100)).toEqual([25, 20, 10])
  })
})
