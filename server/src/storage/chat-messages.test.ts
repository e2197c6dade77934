import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { sampleChatMessage } from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import { openStorage } from './open-storage.ts'
import type { Storage } from './storage.ts'

describe.each(databaseKinds)('chat messages in $kind', ({ startServer }) => {
  let server: DatabaseServer
  let storage: Storage
  const project_id = newId()
  const other = newId()
  const base = { project_id, created_at: 5 }
  const inLobby = sampleChatMessage({ ...base, content: '{"a":["\\u0000","ü"]}', meta: { a: 1 } })
  const ofConference = { ...base, room_session_id: newId(), channel: 'sw_conference_1' }
  const inConference = sampleChatMessage({ ...ofConference, from_name: 'Ada', to_name: 'standup' })
  const later = sampleChatMessage({ ...ofConference, created_at: 6 })

  beforeAll(async () => {
    server = await startServer()
    storage = await openStorage(await server.emptyDatabase())
    for (const id of [project_id, other]) await storage.projects.insert({ id, name: 'p', created_at: 1 })
    for (const message of [inLobby, inConference, later]) await storage.chatMessages.insert(message)
  }, 60_000)
  afterAll(async () => {
    await storage.close()
    await server.remove()
  })

  it('of a channel are listed newest first, as they were written', async () => {
    const list = async (projectId: string, channel: string) =>
      (await storage.chatMessages.listOfChannel(projectId, channel, { limit: 9 })).rows
    expect(await list(project_id, 'lobby')).toEqual([inLobby])
    expect(await list(project_id, 'sw_conference_1')).toEqual([later, inConference])
    expect(await list(project_id, 'Lobby')).toEqual([])
    expect(await list(other, 'lobby')).toEqual([])
  })

  it('of conferences are listed and found apart', async () => {
    const { listOfConferences, findOfConferences } = storage.chatMessages
    expect((await listOfConferences(project_id, { limit: 9 })).rows).toEqual([later, inConference])
    expect((await listOfConferences(other, { limit: 9 })).rows).toEqual([])
    expect(await findOfConferences(project_id, later.id)).toEqual(later)
    expect(await findOfConferences(project_id, inLobby.id)).toBeUndefined()
    expect(await findOfConferences(other, later.id)).toBeUndefined()
  })
})
