import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../audit/audit.ts'
import type { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { hashApiToken } from '../secrets/api-token-secret.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { removalOnDisk } from '../testing/removal-on-disk.ts'
import { sampleRecording, sampleRoom, sampleSession } from '../testing/sample-records.ts'
import { type ApiTokens, createApiTokens, noteUse } from './api-tokens.ts'
import { createProjects, type Projects } from './projects.ts'

const actor: Actor = { kind: 'os-user', name: 'ada' }
let folder: string
let storage: Storage
let projects: Projects
let tokens: ApiTokens
let nowMs: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-projects-'))
  storage = await openStorage(join(folder, 'parley.db'))
  nowMs = 1000
  const clock = { now: () => nowMs, monotonicMs: () => nowMs, after: () => ({ cancel() {} }) }
  projects = createProjects({ storage, clock, actor, removal: removalOnDisk(storage, folder) })
  tokens = createApiTokens({ storage, clock, actor })
})

afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'done',
    (error: Refusal) => error.entries.map(({ code, attribute }) => `${code} (${attribute})`).join(', '),
  )

describe('projects', () => {
  it('are created with the id that is given, or one of their own', async () => {
    const first = await projects.create('One', 'first')
    const second = await projects.create('Two')
    expect(await projects.list()).toEqual([first, second].sort((a, b) => (a.id < b.id ? -1 : 1)))
    expect(first).toEqual({
      id: 'first',
      name: 'One',
      space: null,
      subscriber_rooms: null,
      recording_retention_days: null,
      recording_quota_bytes: null,
      created_at: 1000,
    })
    expect(await codeOf(projects.create('Again', 'first'))).toBe('value_not_unique (id)')
  })

  it.each([
    ['', 'id', 'invalid_parameter (name)'],
    ['🎥'.repeat(201), 'id', 'invalid_parameter (name)'],
    ['  \u3000', 'id', 'invalid_parameter (name)'],
    ['two\nlines', 'id', 'invalid_parameter (name)'],
    ['bell\u0007', 'id', 'invalid_parameter (name)'],
    ['fine', '', 'invalid_parameter (id)'],
    ['fine', 'a:b', 'invalid_parameter (id)'],
    ['fine', 'x'.repeat(101), 'invalid_parameter (id)'],
    ['🎥'.repeat(200), 'x'.repeat(100), 'done'],
  ])('have names and ids of the right form: %s, %s', async (name, id, outcome) => {
    expect(await codeOf(projects.create(name, id))).toBe(outcome)
  })

  it('belong to a space, or to none, and can be moved', async () => {
    const { id, space } = await projects.create('Spaced', undefined, 'Acme-1')
    expect(space).toBe('acme-1')
    expect(await projects.move(id, 'globex')).toMatchObject({ id, space: 'globex', name: 'Spaced' })
    expect((await projects.list()).map((project) => project.space)).toEqual(['globex'])
    expect(await projects.move(id, null)).toMatchObject({ space: null })
    for (const wrong of ['', '-a', 'a-', 'a.b', 'a b', 'ä', '*', 'x'.repeat(64)]) {
      expect(await codeOf(projects.move(id, wrong)), wrong).toBe('invalid_parameter (space)')
      expect(await codeOf(projects.create('x', undefined, wrong)), wrong).toBe('invalid_parameter (space)')
    }
    expect(await codeOf(projects.move('nobody', 'acme'))).toBe('provided_id_is_unrecognized (id)')
  })

  it('are deleted with their recordings, files and all', async () => {
    const { id: project_id } = await projects.create('Doomed')
    await tokens.create(project_id, 'token', ['video'])
    await storage.rooms.insert(sampleRoom({ project_id }))
    const recording = sampleRecording({ project_id, room_session_id: newId() })
    await storage.recordings.insert(recording)
    const file = join(folder, recording.file)
    writeFileSync(file, 'media')

    await projects.delete(project_id)
    expect(existsSync(file)).toBe(false)
    expect(await projects.list()).toEqual([])
    expect(await codeOf(projects.delete(project_id))).toBe('provided_id_is_unrecognized (id)')
  })

  it('stay as they are while a session is in progress', async () => {
    const { id: project_id } = await projects.create('Busy')
    await tokens.create(project_id, 'token', ['video'])
    await storage.sessions.insert(sampleSession({ project_id }))
    expect(await codeOf(projects.delete(project_id))).toBe('invalid_state (id)')
    expect(await tokens.list(project_id)).toHaveLength(1)
  })
})

describe('API tokens', () => {
  let projectId: string
  beforeEach(async () => {
    projectId = (await projects.create('Tokens')).id
  })

  it('are many to a project, each with its scopes, and only hashes are stored', async () => {
    const one = await tokens.create(projectId, 'one', ['video', 'chat', 'video'])
    const two = await tokens.create(projectId, 'two', ['management'])
    expect(one.token).toEqual({
      id: one.token.id,
      project_id: projectId,
      name: 'one',
      scopes: ['chat', 'video'],
      last_used_at: null,
      created_at: 1000,
    })
    expect(await tokens.list(projectId)).toEqual([one.token, two.token])
    const stored = await storage.apiTokens.list(projectId)
    expect(stored.map((token) => token.hash)).toEqual([one, two].map(({ secret }) => hashApiToken(secret)))
    expect(JSON.stringify(stored)).not.toContain(one.secret)
  })

  it('get a new secret, and the old one is forgotten', async () => {
    const before = await tokens.create(projectId, 'one', ['video'])
    const after = await tokens.rotate(projectId, before.token.id)
    expect(after.token).toEqual(before.token)
    expect(after.secret).not.toBe(before.secret)
    expect((await storage.apiTokens.list(projectId)).map(({ hash }) => hash)).toEqual([
      hashApiToken(after.secret),
    ])
  })

  it('are revoked once', async () => {
    const { token } = await tokens.create(projectId, 'one', ['video'])
    await tokens.revoke(projectId, token.id)
    expect(await tokens.list(projectId)).toEqual([])
    expect(await codeOf(tokens.revoke(projectId, token.id))).toBe('provided_id_is_unrecognized (id)')
  })

  it('belong to one project', async () => {
    const { token } = await tokens.create(projectId, 'one', ['video'])
    const { id: other } = await projects.create('Other')
    expect(await codeOf(tokens.rotate(other, token.id))).toBe('provided_id_is_unrecognized (id)')
    expect(await codeOf(tokens.revoke(other, token.id))).toBe('provided_id_is_unrecognized (id)')
    expect(await codeOf(tokens.create('nobody', 'one', ['video']))).toBe(
      'provided_id_is_unrecognized (project_id)',
    )
  })

  it.each([
    ['', ['video'], 'invalid_parameter (name)'],
    ['x'.repeat(201), ['video'], 'invalid_parameter (name)'],
    [' ', ['video'], 'invalid_parameter (name)'],
    ['red\u001b[31m', ['video'], 'invalid_parameter (name)'],
    ['fine', [], 'invalid_auth_token_permissions (scopes)'],
    ['fine', ['video', 'Video'], 'invalid_auth_token_permissions (scopes)'],
  ])('need a name and known scopes: %s, %j', async (name, scopes, outcome) => {
    expect(await codeOf(tokens.create(projectId, name, scopes))).toBe(outcome)
  })

  it('know to within a minute when they were last used', async () => {
    await tokens.create(projectId, 'one', ['video'])
    const lastUse = async (now: number) => {
      const [token] = await storage.apiTokens.list(projectId)
      if (!token) throw new Error('there is no token')
      noteUse(storage.apiTokens, token, now)
      // Writes keep their order, so when this one completes, the one before it is complete.
      await projects.create(`at ${now}`)
      return (await storage.apiTokens.list(projectId))[0]?.last_used_at
    }
    expect(await lastUse(5000)).toBe(5000)
    expect(await lastUse(64_999)).toBe(5000)
    expect(await lastUse(65_000)).toBe(65_000)
  })
})
