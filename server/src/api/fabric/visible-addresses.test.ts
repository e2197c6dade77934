import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SERVER } from '../../audit/audit.ts'
import { systemClock } from '../../clock.ts'
import { createProjects, type Projects } from '../../projects/projects.ts'
import type { RoomRecord, SessionRecord } from '../../storage/records.ts'
import { removalOnDisk } from '../../testing/removal-on-disk.ts'
import { sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
let projects: Projects
beforeAll(async () => {
  server = await startTestServer()
  const { storage } = server
  projects = createProjects({
    storage,
    clock: systemClock,
    actor: SERVER,
    removal: removalOnDisk(storage, server.dataDir),
  })
  for (const name of ['public-a', 'public-b', 'PUBLIC-C', 'board', 'lobby']) await previewed(name)
  const conference = { method: 'POST', body: { name: 'public-conference', display_name: 'Public' } } as const
  expect((await server.call('conferences', conference)).status).toBe(200)
})
afterAll(() => server.stop())
beforeEach(() => projects.openRooms(server.projectId, null))

/** Creates a room whose session in progress has a preview. */
async function previewed(name: string, session: Partial<SessionRecord> = {}): Promise<RoomRecord> {
  const { projectId: project_id, storage } = server
  const room = sampleRoom({ project_id, name, enable_room_previews: true })
  await storage.rooms.insert(room)
  const status = 'in-progress' as const
  await storage.sessions.insert(
    sampleSession({ project_id, room_id: room.id, name, status, enable_room_previews: true, ...session }),
  )
  return room
}

const bearer = (token: string) => ({ credentials: null, headers: { authorization: `Bearer ${token}` } })

async function signIn(reference: string) {
  const body = { reference }
  const { json } = await server.call('/api/fabric/subscribers/tokens', { method: 'POST', body })
  return { id: json.subscriber_id as string, as: bearer(json.token) }
}

async function guestOf({ as }: { as: object }, allowed_addresses: string[]) {
  const body = { allowed_addresses }
  const answer = await server.call('/api/fabric/guests/tokens', { method: 'POST', body, ...as })
  return { status: answer.status, as: bearer(answer.json.token) }
}

interface Shown {
  id: string
  name: string
  display_name: string
  preview_url: string | null
  channels: object
}

const seenBy = async (as: object, query = ''): Promise<Shown[]> =>
  (await server.call(`/api/fabric/addresses${query}`, as)).json.data
const namesSeenBy = async (as: object) => (await seenBy(as)).map(({ name }) => name).sort()
const idOf = async (name: string): Promise<string> => (await server.call(`rooms/${name}`)).json.id
const statusOf = async (id: string, as: object) =>
  (await server.call(`/api/fabric/addresses/${id}`, as)).status

const ALL = ['PUBLIC-C', 'board', 'lobby', 'public-a', 'public-b', 'public-conference']

describe('a subscriber', () => {
  it('sees itself and all rooms, and no other subscriber', async () => {
    const [ada, bob] = [await signIn('ada@example.org'), await signIn('bob@example.org')]
    expect(await namesSeenBy(ada.as)).toEqual([...ALL, 'ada@example.org'].sort())
    expect(await statusOf(bob.id, ada.as)).toBe(404)
    expect(await statusOf(ada.id, ada.as)).toBe(200)
    const everything = await server.call('/api/fabric/addresses', ada.as)
    expect(everything.text).not.toContain('bob@')
    expect((await seenBy(ada.as, '?type=subscriber')).map(({ id }) => id)).toEqual([ada.id])
    expect(await namesSeenBy({})).toEqual(expect.arrayContaining(['ada@example.org', 'bob@example.org']))
  })

  it('sees of the rooms only those that its project opens, page by page too', async () => {
    const ada = await signIn('ada@example.org')
    const board = await idOf('board')
    await projects.openRooms(server.projectId, ['public-*', 'lobby'])
    const open = ['ada@example.org', 'lobby', 'public-a', 'public-b', 'public-conference']
    expect(await namesSeenBy(ada.as)).toEqual(open)
    expect(await statusOf(board, ada.as)).toBe(404)
    expect(await statusOf(board, {})).toBe(200)
    const walked: string[] = []
    for (let path = '/api/fabric/addresses?page_size=2'; path; ) {
      const { json } = await server.call(path, ada.as)
      walked.push(...json.data.map(({ name }: Shown) => name))
      path = json.links.next
    }
    expect(walked.sort()).toEqual(open)

    await projects.openRooms(server.projectId, [])
    expect(await namesSeenBy(ada.as)).toEqual(['ada@example.org'])
    expect(await seenBy(ada.as, '?type=room')).toEqual([])
  })

  it('lets nobody see what it does not see', async () => {
    const [ada, bob] = [await signIn('ada@example.org'), await signIn('bob@example.org')]
    const [board, lobby] = [await idOf('board'), await idOf('lobby')]
    await projects.openRooms(server.projectId, ['lobby'])
    expect((await guestOf(ada, [lobby, board])).status).toBe(422)
    expect((await guestOf(ada, [bob.id])).status).toBe(422)
    const guest = await guestOf(ada, [lobby])
    expect(await namesSeenBy(guest.as)).toEqual(['lobby'])
    await projects.openRooms(server.projectId, [])
    expect(await namesSeenBy(guest.as)).toEqual([])
  })

  it('sees no preview of what it cannot join', async () => {
    const now = Date.now()
    await previewed('locked', { locked: true })
    await previewed('early', { join_from: now + 60_000 })
    await previewed('late', { join_until: now - 60_000 })
    const ada = await signIn('ada@example.org')
    const previews = async (as: object) =>
      Object.fromEntries((await seenBy(as)).map(({ name, preview_url }) => [name, preview_url !== null]))
    expect(await previews(ada.as)).toMatchObject({ lobby: true, locked: false, early: false, late: false })
    expect(await previews({})).toMatchObject({ lobby: true, locked: true, early: true, late: true })
    for (const name of ['locked', 'early', 'late']) {
      expect((await server.call(`rooms/${await idOf(name)}`, { method: 'DELETE' })).status).toBe(204)
    }
  })
})

it('a guest does not learn the reference of its subscriber', async () => {
  const ada = await signIn('ada@example.org')
  const guest = await guestOf(ada, [ada.id])
  const { text, json } = await server.call('/api/fabric/addresses', guest.as)
  expect(json.data).toMatchObject([{ id: ada.id, name: ada.id, display_name: ada.id }])
  expect(text).not.toContain('example.org')
  const one = await server.call(`/api/fabric/addresses/${ada.id}`, guest.as)
  expect(one.status).toBe(200)
  expect(one.text).not.toContain('example.org')
})
