import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { makeColourFile } from '../../testing/media/sample-files.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const DAY = 86_400_000
const START = Date.UTC(2030, 0, 1)
let server: TestServer
let of: { project_id: string; room_session_id: string }

beforeAll(async () => {
  server = await startTestServer()
  of = { project_id: server.projectId, room_session_id: newId() }
  for (const [day, room_name, status] of [
    [0, 'board', 'completed'],
    [1, 'board', 'completed'],
    [2, 'standup', 'completed'],
    [3, 'standup', 'recording'],
  ] as const) {
    const created_at = START + day * DAY
    await server.storage.recordings.insert(sampleRecording({ ...of, room_name, status, created_at }))
  }
  const other = newId()
  await server.storage.projects.insert({ id: other, name: 'Other', created_at: 1 })
  await server.storage.recordings.insert(sampleRecording({ ...of, project_id: other, room_name: 'secret' }))
})
afterAll(() => server.stop())

const search = async (query: string) => (await server.call(`/api/dashboard/recordings?${query}`)).json
const daysIn = (page: { data: { created_at: string }[] }) =>
  page.data.map(({ created_at }) => (Date.parse(created_at) - START) / DAY)
const follow = (uri: string) => server.call(uri, { credentials: null })

/** A recording of colours that change, as it lies on the disk. */
async function addFilm(fields: { name?: string } = {}) {
  const recording = sampleRecording({ ...of, room_name: fields.name ?? 'film', size_in_bytes: 1000 })
  await makeColourFile(join(server.dataDir, 'recordings', recording.file), { seconds: 1, sound: false })
  await server.storage.recordings.insert(recording)
  return recording
}
const one = async (id: string) => (await server.call(`/api/dashboard/recordings/${id}`)).json

it('lists recordings by room, day and status, newest first, and those of no other project', async () => {
  expect(daysIn(await search(''))).toEqual([3, 2, 1, 0])
  expect(daysIn(await search('room_name=board'))).toEqual([1, 0])
  expect(daysIn(await search('room_name=standup&status=recording'))).toEqual([3])
  expect(daysIn(await search('status=completed'))).toEqual([2, 1, 0])
  expect(daysIn(await search('since=2030-01-02&until=2030-01-03'))).toEqual([1])
  expect(daysIn(await search('room_name=secret'))).toEqual([])
  expect((await server.call('/api/dashboard/recordings?status=lost')).status).toBe(422)
})

it('pages through them', async () => {
  const first = await search('page_size=3')
  expect(daysIn(first)).toEqual([3, 2, 1])
  const { json } = await server.call(first.links.next)
  expect(daysIn(json)).toEqual([0])
})

it('shows the room, and links to media and poster where there is something to play', async () => {
  const [running, completed] = (await search('room_name=standup')).data
  expect(running).toMatchObject({ room_name: 'standup', uri: null, poster_uri: null })
  expect(completed.poster_uri).toMatch(/\/posters\/.*signature=/)
})

it('makes the poster once, and removes it with the recording', async () => {
  const { id, file } = await addFilm()
  const { poster_uri } = await one(id)
  const poster = join(server.dataDir, 'recordings', file.replace('.mp4', '.webp'))
  expect(existsSync(poster)).toBe(false)
  const [answer, again] = await Promise.all([follow(poster_uri), follow(poster_uri)])
  expect([answer.status, again.status]).toEqual([200, 200])
  expect(answer.headers['content-type']).toBe('image/webp')
  expect(answer.text.slice(8, 12)).toBe('WEBP')
  rmSync(join(server.dataDir, 'recordings', file))
  expect((await follow(poster_uri)).status).toBe(200)
  await server.call(`room_recordings/${id}`, { method: 'DELETE' })
  expect(existsSync(poster)).toBe(false)
  expect((await follow(poster_uri)).status).toBe(404)
})

it('answers 404 for the poster of what cannot be read or written, and the recording still plays', async () => {
  const broken = sampleRecording({ ...of, room_name: 'film' })
  writeFileSync(join(server.dataDir, 'recordings', broken.file), 'not a film')
  await server.storage.recordings.insert(broken)
  expect((await follow((await one(broken.id)).poster_uri)).status).toBe(404)

  const film = await addFilm()
  // A folder in place of the file that is written first stands for a disk that takes nothing, also for root.
  const part = join(server.dataDir, 'recordings', `${film.file.replace('.mp4', '.webp')}.part`)
  mkdirSync(join(part, 'in-the-way'), { recursive: true })
  const { uri, poster_uri } = await one(film.id)
  expect((await follow(poster_uri)).status).toBe(404)
  expect((await follow(uri)).status).toBe(200)
})

it('takes no poster link that was made for something else', async () => {
  const [first, second] = [await addFilm(), await addFilm()]
  const link = new URL((await one(first.id)).poster_uri)
  const media = new URL((await one(first.id)).uri)
  const at = (path: string, search: string) => follow(`${path}${search}`)
  expect((await at(link.pathname.replace(first.id, second.id), link.search)).status).toBe(403)
  expect((await at(link.pathname, media.search)).status).toBe(403)
  expect((await at(media.pathname, link.search)).status).toBe(403)
  expect((await at(link.pathname, link.search.replace(/expires=\d/, 'expires=9'))).status).toBe(403)
  for (const trick of ['..%2f..%2fparley.db', '%2e%2e%2fparley.db', `${first.id}.mp4%00.webp`]) {
    const path = link.pathname.replace(`${first.id}.webp`, trick)
    expect([400, 403, 404]).toContain((await at(path, link.search)).status)
  }
})

it('deletes a recording although the disk refuses, and the file later', async () => {
  const film = await addFilm()
  const file = join(server.dataDir, 'recordings', film.file)
  rmSync(file)
  mkdirSync(file)
  expect((await server.call(`room_recordings/${film.id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await server.call(`room_recordings/${film.id}`)).status).toBe(404)
  expect((await server.storage.removedFiles.list(null, '', 10)).map(({ file }) => file)).toContain(film.file)
  rmdirSync(file)
})

it('counts what a rule would delete', async () => {
  const count = (query: string) => server.call(`/api/dashboard/old_recordings?${query}`)
  const finished_at = Date.now() - 50 * DAY
  const room = (
    await server.call('rooms', { method: 'POST', body: { name: 'kept', recording_retention_days: 0 } })
  ).json
  await server.storage.recordings.insert(sampleRecording({ ...of, finished_at, size_in_bytes: 7 }))
  await server.storage.recordings.insert(
    sampleRecording({ ...of, finished_at, room_id: room.id, room_name: 'kept', size_in_bytes: 5 }),
  )
  expect((await count('days=49')).json).toEqual({ recordings: 1, bytes: 7 })
  expect((await count('days=51')).json).toEqual({ recordings: 0, bytes: 0 })
  expect((await count('days=49&room_name=kept')).json).toEqual({ recordings: 1, bytes: 5 })
  expect((await count('days=49&room_name=nothing')).json).toEqual({ recordings: 0, bytes: 0 })
  expect((await count('days=0')).status).toBe(422)
})
