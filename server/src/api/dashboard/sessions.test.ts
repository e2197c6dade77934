import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleMember, sampleRecording, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const DAY = 86_400_000
const START = Date.UTC(2030, 0, 1)
let server: TestServer
const foreign = { id: newId() }

beforeAll(async () => {
  server = await startTestServer()
  for (const [day, name, people] of [
    [0, 'board', ['Ada', 'Grace']],
    [1, 'board', ['ada', 'Ada']],
    [2, 'Standup', ['Adam']],
    [3, 'standup', ['Ada']],
  ] as const) {
    const created_at = START + day * DAY
    const of = { project_id: server.projectId, room_session_id: newId() }
    const times = { start_time: created_at, created_at, end_time: created_at + 60_000 }
    const status = 'completed' as const
    await server.storage.sessions.insert(
      sampleSession({ project_id: server.projectId, ...times, id: of.room_session_id, name, status }),
    )
    for (const person of people) {
      const times = { join_time: created_at + 5, leave_time: created_at + 9 }
      await server.storage.members.insert(sampleMember({ ...of, ...times, name: person }))
    }
    if (day === 1) await server.storage.recordings.insert(sampleRecording(of))
  }
  const other = newId()
  await server.storage.projects.insert({ id: other, name: 'Other', created_at: 1 })
  const session = sampleSession({ ...foreign, project_id: other, name: 'secret', status: 'completed' })
  await server.storage.sessions.insert(session)
  await server.storage.members.insert(
    sampleMember({ project_id: other, room_session_id: session.id, name: 'Adversary' }),
  )
})
afterAll(() => server.stop())

const search = async (query: string) => (await server.call(`/api/dashboard/room_sessions?${query}`)).json
const namesIn = (page: { data: { name: string }[] }) => page.data.map(({ name }) => name)

it('lists sessions, newest first, with their people and recordings', async () => {
  const page = await search('')
  expect(namesIn(page)).toEqual(['standup', 'Standup', 'board', 'board'])
  expect(page.data[2]).toMatchObject({
    status: 'completed',
    start_time: '2030-01-02T00:00:00Z',
    end_time: '2030-01-02T00:01:00Z',
    people: 2,
    recordings: 1,
    cost_in_dollars: 0,
  })
})

it('tells how the connections of a session were, to its own project alone', async () => {
  const [latest] = (await search('')).data
  const member_id = newId()
  const series = {
    talking: [0.5, null],
    round_trip_ms: [40, 41],
    jitter_ms: [1.5, null],
    uplink_loss: [0, 0.01],
    downlink_loss: [0, null],
    uplink_bitrate: [1e6, 1e6],
    downlink_bitrate: [2e6, 2e6],
    frame_rate: [20, 19.9],
  }
  const of = { project_id: server.projectId, room_session_id: latest.id }
  const first = { ...of, member_id, started_at: START, interval_ms: 10_000, series }
  await server.storage.memberQuality.save({ ...first, series: { ...series, talking: [0.5] } })
  await server.storage.memberQuality.save(first)
  const path = (id: string) => `/api/dashboard/room_sessions/${id}/quality`
  expect((await server.call(path(latest.id))).json).toEqual({
    data: [{ member_id, start_time: '2030-01-01T00:00:00Z', interval_ms: 10_000, ...series }],
  })
  expect((await server.call(path(newId()))).status).toBe(404)
  expect((await server.call(path(foreign.id))).status).toBe(404)
})

it('finds them by room, day and status', async () => {
  expect(namesIn(await search('room_name=board'))).toEqual(['board', 'board'])
  expect(namesIn(await search('since=2030-01-02&until=2030-01-03'))).toEqual(['board'])
  expect(namesIn(await search('room_name=board&since=2030-01-02'))).toEqual(['board'])
  expect(namesIn(await search('status=in-progress'))).toEqual([])
  const errors = await search('since=yesterday')
  expect(errors.errors[0].attribute).toBe('since')
})

it('finds them by person in small or capital letters, each once', async () => {
  expect(namesIn(await search('person=ADA'))).toEqual(['standup', 'board', 'board'])
  expect(namesIn(await search('person=ada&room_name=board'))).toEqual(['board', 'board'])
  expect(namesIn(await search('person=ada&until=2030-01-02'))).toEqual(['board'])
  expect(namesIn(await search('person=Adversary'))).toEqual([])
})

it('pages in both directions within days', async () => {
  const days = 'since=2030-01-02&page_size=1'
  const first = await search(days)
  expect([namesIn(first), first.links.prev]).toEqual([['standup'], null])
  const second = (await server.call(first.links.next)).json
  expect(namesIn(second)).toEqual(['Standup'])
  expect(namesIn((await server.call(second.links.prev)).json)).toEqual(['standup'])
  const third = (await server.call(second.links.next)).json
  expect(namesIn(third)).toEqual(['board'])
  const past = third.links.next === null ? [] : namesIn((await server.call(third.links.next)).json)
  expect(past).toEqual([])
})

it('suggests rooms and people by how they begin, and none of other projects', async () => {
  const names = async (beginning: string) =>
    (await server.call(`/api/dashboard/session_names?beginning=${encodeURIComponent(beginning)}`)).json
  expect(await names('AD')).toEqual({ rooms: [], people: ['Ada', 'Adam'] })
  expect(await names('s')).toEqual({ rooms: ['standup'], people: [] })
  expect(await names('%')).toEqual({ rooms: [], people: [] })
  expect((await names('')).rooms).toEqual(['Standup', 'board', 'standup'])
})
