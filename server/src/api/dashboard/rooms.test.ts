import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
let session: string

beforeAll(async () => {
  server = await startTestServer()
  for (const [name, display_name] of [
    ['town-hall', 'Everybody'],
    ['Townsfolk', 'Townsfolk'],
    ['q3', 'Town hall of May'],
    ['tower', 'Town tower'],
    ['standup', 'Daily stand-up'],
    ['umlaut', 'Ärzte'],
  ]) {
    await server.call('rooms', { method: 'POST', body: { name, display_name } })
    await server.call('conferences', { method: 'POST', body: { name: `c-${name}`, display_name } })
  }
  const room = (await server.call('rooms/q3')).json
  session = newId()
  await server.storage.sessions.insert(
    sampleSession({ project_id: server.projectId, room_id: room.id, id: session, status: 'in-progress' }),
  )
  const other = newId()
  await server.storage.projects.insert({ id: other, name: 'Other', created_at: 1 })
  await server.storage.rooms.insert(sampleRoom({ project_id: other, name: 'town-of-others' }))
})
afterAll(() => server.stop())

const search = async (beginning: string, more = '') =>
  (await server.call(`/api/dashboard/rooms?beginning=${encodeURIComponent(beginning)}${more}`)).json
const namesIn = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)

it('lists them newest first, each kind by itself, with the session in progress', async () => {
  const page = (await server.call('/api/dashboard/rooms')).json
  expect(namesIn(page)).toEqual(['umlaut', 'standup', 'tower', 'q3', 'Townsfolk', 'town-hall'])
  expect(page.data[3]).toMatchObject({ display_name: 'Town hall of May', active_session_id: session })
  expect(page.data[0].active_session_id).toBeNull()
  expect(namesIn((await server.call('/api/dashboard/conferences')).json)[0]).toBe('c-umlaut')
})

it('finds them by how name or title begins, each once', async () => {
  // By the texts that were found: "tow…" of names, "town hall of may" of a title.
  expect(namesIn(await search('TOW'))).toEqual(['tower', 'q3', 'town-hall', 'Townsfolk'])
  expect(namesIn(await search('Ä'))).toEqual(['umlaut'])
  const conferences = await server.call('/api/dashboard/conferences?beginning=c-tow')
  expect(namesIn(conferences.json)).toEqual(['c-tower', 'c-town-hall', 'c-Townsfolk'])
})

it('goes through the pages there and back', async () => {
  const seen: string[] = []
  let page = await search('tow', '&page_size=1')
  expect(page.links.prev).toBeNull()
  const there: string[] = []
  for (;;) {
    there.push(page.links.self)
    seen.push(...namesIn(page))
    if (!page.links.next) break
    page = (await server.call(page.links.next)).json
  }
  expect(seen).toEqual(['tower', 'q3', 'town-hall', 'Townsfolk'])
  let back: string[] = []
  for (;;) {
    back = [...namesIn(page), ...back]
    if (!page.links.prev) break
    page = (await server.call(page.links.prev)).json
  }
  expect(back).toEqual(seen)
})

it.each(['%', '_', "'; drop table rooms; --", '*', '\u{10FFFF}', '</script>', 'x'.repeat(200)])(
  'finds nothing by %j',
  async (beginning) => {
    expect(namesIn(await search(beginning))).toEqual([])
  },
)

it('does not take what cannot be a name', async () => {
  expect((await server.call('/api/dashboard/rooms?beginning=%00')).status).toBe(422)
  expect((await server.call(`/api/dashboard/rooms?beginning=${'x'.repeat(201)}`)).status).toBe(422)
})
