import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVER } from '../audit/audit.ts'
import { newId } from '../ids.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { addUser } from '../testing/signed-in-user.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { createUsers } from './users.ts'

describe.each(databaseKinds)('users in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  const project_id = newId()
  const other = newId()

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    await storage.projects.insert({ id: project_id, name: 'one', created_at: 1 })
    await storage.projects.insert({ id: other, name: 'two', created_at: 2 })
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  const users = () => createUsers({ storage, clock: { now: () => 1000 } })
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error) => error.code,
    )

  it('have a name of their own in a project, whatever its case', async () => {
    await users().add(project_id, 'Ada', 'viewer', SERVER)
    expect(await codeOf(users().add(project_id, 'aDA', 'viewer', SERVER))).toBe('value_not_unique')
    expect(await codeOf(users().add(other, 'ada', 'viewer', SERVER))).toBe('done')
    expect((await users().list(project_id)).map(({ name }) => name)).toEqual(['Ada'])
    expect((await storage.users.findByName('ada', 8)).map((user) => user.project_id)).toHaveLength(2)
  })

  it('are not there for other projects', async () => {
    const { id } = await users().getByName(project_id, 'ADA')
    for (const work of [
      () => users().get(other, id),
      () => users().setRole(other, id, 'owner', SERVER),
      () => users().reset(other, id, SERVER),
      () => users().remove(other, id, SERVER),
    ]) {
      expect(await codeOf(work())).toBe('provided_id_is_unrecognized')
    }
  })

  it('keep an owner, also when two owners are removed at the same time', async () => {
    const one = await addUser(storage, project_id, 'one', 'owner')
    expect(await codeOf(users().remove(project_id, one, SERVER))).toBe('invalid_state')
    expect(await codeOf(users().setRole(project_id, one, 'viewer', SERVER))).toBe('invalid_state')
    // Who has only been invited cannot stand in for the last owner.
    const invited = await users().add(project_id, 'invited', 'owner', SERVER)
    expect(await codeOf(users().remove(project_id, one, SERVER))).toBe('invalid_state')
    expect(await codeOf(users().remove(project_id, invited.id, SERVER))).toBe('done')

    const two = await addUser(storage, project_id, 'two', 'owner')
    const outcomes = await Promise.all([
      codeOf(users().remove(project_id, one, SERVER)),
      codeOf(users().setRole(project_id, two, 'viewer', SERVER)),
    ])
    expect(outcomes.sort()).toEqual(['done', 'invalid_state'])
    const left = await users().list(project_id)
    expect(left.filter(({ role }) => role === 'owner')).toHaveLength(1)
  })

  it('go with their sessions and links, and with their project', async () => {
    const { id } = await users().add(other, 'eve', 'viewer', SERVER)
    const session = { id: newId(), project_id: other, user_id: id, hash: 'h', user_agent: '' }
    await storage.userSessions.insert({ ...session, last_used_at: 1, expires_at: 9e12, created_at: 1 })
    expect(await storage.userSessions.findByHash('h')).toMatchObject({ user: { name: 'eve' } })
    await users().remove(other, id, SERVER)
    expect(await storage.userSessions.findByHash('h')).toBeUndefined()
    await users().inviteOwner(other, SERVER)
    expect(await storage.projects.delete(other)).toBe(true)
    expect(await users().list(other)).toEqual([])
  })
})
