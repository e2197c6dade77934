import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  sampleConference,
  sampleConferenceToken,
  sampleRoom,
  sampleStream,
} from '../../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../../testing/test-databases.ts'
import { migrate } from '../migrate.ts'
import { openDatabase, openStorage } from '../open-storage.ts'
import { type Storage, UniqueViolation } from '../storage.ts'
import * as rooms from './0001-rooms.ts'

describe.each(databaseKinds)('conferences come to a database in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  const project_id = 'p'
  const {
    conference: _,
    name_labels: __,
    waiting_room: ___,
    recording_retention_days: ____,
    enable_hls: _____,
    ...old
  } = sampleRoom({ project_id, name: 'old', meta: { kept: true } })

  beforeAll(async () => {
    server = await startServer()
    const location = await server.emptyDatabase()
    const db = await openDatabase(location)
    await migrate(db, { '0001-rooms': rooms })
    await db.insertInto('projects').values({ id: project_id, name: 'p', created_at: 1 }).execute()
    const row = Object.fromEntries(
      Object.entries(old).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
    )
    await db
      .insertInto('rooms')
      .values({ ...row, meta: JSON.stringify(old.meta) } as never)
      .execute()
    await db.destroy()
    storage = await openStorage(location)
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  it('and the rooms that were there are rooms', async () => {
    const { rows } = await storage.rooms.list(project_id, {}, { limit: 10 })
    const added = {
      name_labels: false,
      waiting_room: false,
      recording_retention_days: null,
      enable_hls: false,
    }
    expect(rows).toEqual([{ ...old, conference: null, ...added }])
    expect((await storage.rooms.list(project_id, { kind: 'conference' }, { limit: 10 })).rows).toEqual([])
  })

  it('and share the names of rooms', async () => {
    const conference = sampleConference({ project_id })
    await storage.rooms.insert(conference)
    for (const name of ['old', conference.name]) {
      await expect(storage.rooms.insert(sampleConference({ project_id, name }))).rejects.toThrow(
        UniqueViolation,
      )
      await expect(storage.rooms.insert(sampleRoom({ project_id, name }))).rejects.toThrow(UniqueViolation)
    }
    const { rows } = await storage.rooms.list(project_id, { kind: 'conference' }, { limit: 10 })
    expect(rows).toEqual([conference])
    expect((await storage.rooms.list(project_id, {}, { limit: 10 })).rows).toHaveLength(1)
  })

  it('and take their tokens and streams along when they are deleted', async () => {
    const conference = sampleConference({ project_id })
    await storage.rooms.insert(conference)
    const token = sampleConferenceToken({ project_id, conference_id: conference.id })
    await storage.conferenceTokens.insert(token)
    const stream = sampleStream({ project_id, room_id: conference.id })
    await storage.streams.insert(stream)
    expect(await storage.rooms.delete(project_id, conference.id)).toBe(true)
    expect(await storage.conferenceTokens.find(project_id, token.id)).toBeUndefined()
    expect(await storage.conferenceTokens.findByHash(token.hash)).toBeUndefined()
    expect(await storage.streams.find(project_id, stream.id)).toBeUndefined()
  })
})
