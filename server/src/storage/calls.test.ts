import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { sampleCall } from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import type { CallFilter } from './interfaces/sessions.ts'
import { openStorage } from './open-storage.ts'
import type { CallRecord } from './records.ts'
import type { Storage } from './storage.ts'

describe.each(databaseKinds)('calls in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  const project_id = newId()
  const other = newId()
  const room_session_id = newId()
  const call = (fields: Partial<CallRecord>) => sampleCall({ project_id, room_session_id, ...fields })
  const first = call({ created_at: 1000, ended_at: 5000 })
  const screen = call({ created_at: 2000, parent_id: first.id, to_name: 'other' })
  const last = call({ created_at: 3000, from_name: 'Bob' })

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    for (const id of [project_id, other]) await storage.projects.insert({ id, name: 'p', created_at: 1 })
    for (const one of [first, screen, last]) await storage.calls.insert(one)
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  it.each<[CallFilter, CallRecord[]]>([
    [{}, [last, screen, first]],
    [{ status: 'in-progress' }, [last, screen]],
    [{ status: 'completed' }, [first]],
    [{ from: 'Bob' }, [last]],
    [{ from: 'bob' }, []],
    [{ to: 'standup' }, [last, first]],
    [{ parentId: first.id }, [screen]],
    [{ startedFrom: 2000 }, [last, screen]],
    [{ startedBefore: 2000 }, [first]],
    [{ startedFrom: 1001, startedBefore: 3000 }, [screen]],
    [{ endedFrom: 5000 }, [first]],
    [{ endedFrom: 5001 }, []],
    [{ endedBefore: 5001 }, [first]],
    [{ endedBefore: 5000 }, []],
    [{ status: 'in-progress', endedBefore: 9000 }, []],
    [{ from: 'Ada', to: 'standup', status: 'completed' }, [first]],
  ])('are listed newest first: %j', async (filter, expected) => {
    expect((await storage.calls.list(project_id, filter, { limit: 9 })).rows).toEqual(expected)
    expect((await storage.calls.list(other, filter, { limit: 9 })).rows).toEqual([])
  })

  it('are found and ended within their project alone, and end once', async () => {
    const mine = call({ room_session_id: newId() })
    await storage.calls.insert(mine)
    await storage.calls.end(other, mine.id, 9)
    await storage.calls.closeAll(other, mine.room_session_id, 9)
    expect(await storage.calls.find(project_id, mine.id)).toEqual(mine)
    expect(await storage.calls.find(other, mine.id)).toBeUndefined()
    await storage.calls.end(project_id, mine.id, 7)
    await storage.calls.end(project_id, mine.id, 8)
    await storage.calls.closeAll(project_id, mine.room_session_id, 9)
    expect(await storage.calls.find(project_id, mine.id)).toEqual({
      ...mine,
      status: 'completed',
      ended_at: 7,
    })
  })

  it('of a session are closed together, and no others', async () => {
    const session = newId()
    const open = call({ room_session_id: session })
    const elsewhere = call({ room_session_id: newId() })
    for (const one of [open, elsewhere]) await storage.calls.insert(one)
    await storage.calls.closeAll(project_id, session, 6)
    expect(await storage.calls.find(project_id, open.id)).toEqual({
      ...open,
      status: 'completed',
      ended_at: 6,
    })
    expect(await storage.calls.find(project_id, elsewhere.id)).toEqual(elsewhere)
  })
})
