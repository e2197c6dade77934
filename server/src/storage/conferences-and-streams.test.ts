import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import {
  sampleConference,
  sampleConferenceToken,
  sampleSession,
  sampleStream,
  sampleStreamRun,
} from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { openStorage } from './open-storage.ts'
import type { RoomRecord } from './records.ts'
import type { Storage } from './storage.ts'

describe.each(databaseKinds)('in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  let conference: RoomRecord
  const project_id = newId()
  const other = newId()

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    for (const id of [project_id, other]) await storage.projects.insert({ id, name: 'p', created_at: 1 })
  }, 60_000)
  beforeEach(async () => {
    conference = sampleConference({ project_id })
    await storage.rooms.insert(conference)
  })
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  it('conferences come back as they were written, and change as a whole', async () => {
    expect(await storage.rooms.find(project_id, conference.id)).toEqual(conference)
    const changed = { ...conference.conference!, size: 'large' as const, enable_chat: false }
    const updated = await storage.rooms.update(project_id, conference.id, { conference: changed })
    expect(updated).toEqual({ ...conference, conference: changed })
    expect(await storage.rooms.findByName(project_id, conference.name)).toEqual(updated)
  })

  it('tokens are found by project and id, or by their hash alone', async () => {
    const token = sampleConferenceToken({ project_id, conference_id: conference.id })
    await storage.conferenceTokens.insert(token)
    expect(await storage.conferenceTokens.find(project_id, token.id)).toEqual(token)
    expect(await storage.conferenceTokens.findByHash(token.hash)).toEqual(token)
    expect(await storage.conferenceTokens.find(other, token.id)).toBeUndefined()
    expect(await storage.conferenceTokens.update(other, token.id, { hash: 'h' })).toBeUndefined()
    expect((await storage.conferenceTokens.list(other, conference.id, { limit: 9 })).rows).toEqual([])
    const updated = await storage.conferenceTokens.update(project_id, token.id, { hash: 'new' })
    expect(updated).toEqual({ ...token, hash: 'new' })
    expect(await storage.conferenceTokens.findByHash(token.hash)).toBeUndefined()
    const page = await storage.conferenceTokens.list(project_id, conference.id, { limit: 9 })
    expect(page.rows).toEqual([updated])
  })

  it('streams are listed newest first, and do not exist for another project', async () => {
    const base = { project_id, room_id: conference.id }
    const [older, newer] = [
      sampleStream({ ...base, created_at: 1 }),
      sampleStream({ ...base, created_at: 2 }),
    ]
    for (const stream of [older, newer]) await storage.streams.insert(stream)
    expect(await storage.streams.listOfRoom(project_id, conference.id)).toEqual([newer, older])
    expect(await storage.streams.listOfRoom(other, conference.id)).toEqual([])
    const ids = [older.id, newId(), newer.id]
    expect(await storage.streams.findIds(project_id, ids)).toEqual(new Set([older.id, newer.id]))
    expect(await storage.streams.findIds(other, ids)).toEqual(new Set())
    expect(await storage.streams.findIds(project_id, [])).toEqual(new Set())
    expect(await storage.streams.find(other, older.id)).toBeUndefined()
    expect(await storage.streams.update(other, older.id, { sealed_url: 'x' })).toBeUndefined()
    expect(await storage.streams.delete(other, older.id)).toBe(false)
    const updated = await storage.streams.update(project_id, older.id, { sealed_url: 'x' })
    expect(updated).toEqual({ ...older, sealed_url: 'x' })
    expect(await storage.streams.delete(project_id, newer.id)).toBe(true)
    expect(await storage.streams.listOfRoom(project_id, conference.id)).toEqual([updated])
  })

  it('a room that is held waits for nobody and makes others wait', async () => {
    const count = () => storage.streams.listOfRoom(project_id, conference.id).then((all) => all.length)
    const addUpToThree = () =>
      storage.transaction(async (tx) => {
        expect(await tx.rooms.hold(project_id, conference.id)).toEqual(conference)
        const present = await tx.streams.listOfRoom(project_id, conference.id)
        if (present.length < 3) await tx.streams.insert(sampleStream({ project_id, room_id: conference.id }))
      })
    await Promise.all(Array.from({ length: 12 }, addUpToThree))
    expect(await count()).toBe(3)
    expect(await storage.transaction((tx) => tx.rooms.hold(other, conference.id))).toBeUndefined()
  })

  it('runs of streams are closed with their session, those that are over excepted', async () => {
    const session = sampleSession({ project_id })
    await storage.sessions.insert(session)
    const base = { project_id, room_session_id: session.id }
    const over = sampleStreamRun({ ...base, status: 'completed', ended_at: 5, created_at: 1 })
    const running = sampleStreamRun({ ...base, stream_id: newId(), created_at: 2 })
    for (const run of [over, running]) await storage.streamRuns.insert(run)
    await storage.streamRuns.closeAll(other, session.id, 9)
    expect(await storage.streamRuns.find(project_id, running.id)).toEqual(running)
    await storage.streamRuns.closeAll(project_id, session.id, 9)
    const { rows } = await storage.streamRuns.list(project_id, { limit: 9 })
    expect(rows).toEqual([{ ...running, status: 'completed', ended_at: 9, updated_at: 9 }, over])
    await storage.streamRuns.update(project_id, over.id, { ended_at: 6 })
    expect((await storage.streamRuns.find(project_id, over.id))?.ended_at).toBe(6)
    expect(await storage.streamRuns.find(other, over.id)).toBeUndefined()
    const found = await storage.sessions.findAll(project_id, [session.id, newId()])
    expect([...found.keys()]).toEqual([session.id])
    expect((await storage.sessions.findAll(other, [session.id])).size).toBe(0)
  })
})
