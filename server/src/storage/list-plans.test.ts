import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  sampleCall,
  sampleChatMessage,
  sampleConferenceToken,
  sampleMember,
  sampleRecording,
  sampleRoom,
  sampleSession,
  sampleStreamRun,
  sampleWebhook,
} from '../testing/sample-records.ts'
import { type DatabaseServer, databaseKinds } from '../testing/test-databases.ts'
import type { ListRequest } from './list-page.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-storage.ts'
import { repositories } from './repositories.ts'
import type { Repositories } from './storage.ts'
import type { Database } from './tables.ts'

const project_id = 'plans'
const ROWS = 20_000

/** Its name, its index, and how it is read. */
type List = [string, string, (storage: Repositories, request: ListRequest) => Promise<unknown>]

/** Every list with every filter, and a pattern of the index that must serve it. */
const lists: List[] = [
  ['rooms', 'rooms_by_time', (s, r) => s.rooms.list(project_id, {}, r)],
  [
    'rooms and conferences by name',
    'rooms_by_name',
    (s, r) => s.rooms.list(project_id, { kind: 'any' }, { ...byName(r), order: 'name-ascending' }),
  ],
  [
    'rooms and conferences by name, from Z',
    'rooms_by_name',
    (s, r) => s.rooms.list(project_id, { kind: 'any' }, { ...byName(r), order: 'name-descending' }),
  ],
  [
    'subscribers by name',
    'subscribers_by_reference',
    (s, r) => s.subscribers.list(project_id, { ...byName(r), order: 'name-ascending' }),
  ],
  ['rooms from', 'rooms_by_time', (s, r) => s.rooms.list(project_id, { startsAfter: 5 }, r)],
  ['rooms as shown', 'rooms_by_time', (s, r) => s.rooms.list(project_id, { displayName: 'x' }, r)],
  ['rooms until', 'rooms_by_time', (s, r) => s.rooms.list(project_id, { endsBefore: 9e12 }, r)],
  [
    'rooms from and until',
    'rooms_by_time',
    (s, r) => s.rooms.list(project_id, { startsAfter: 5, endsBefore: 9e12 }, r),
  ],
  ['conferences', 'conferences_by_time', (s, r) => s.rooms.list(project_id, { kind: 'conference' }, r)],
  [
    'conferences from and until',
    'conferences_by_time',
    (s, r) => s.rooms.list(project_id, { kind: 'conference', startsAfter: 5, endsBefore: 9e12 }, r),
  ],
  [
    'tokens of a conference',
    'conference_tokens_by_conference',
    (s, r) => s.conferenceTokens.list(project_id, 'room-7', r),
  ],
  [
    'sessions of some days',
    'room_sessions_by_time',
    (s, r) => s.sessions.list(project_id, { since: 5, until: 9e12 }, r),
  ],
  [
    'sessions of a room of some days',
    'room_sessions_by_name',
    (s, r) => s.sessions.list(project_id, { roomName: 'x', since: 5, until: 9e12 }, r),
  ],
  [
    'visits of a person',
    'room_members_by_person',
    (s, r) => s.sessionSearch.visits(project_id, { person: 'Ada', since: 5 }, r),
  ],
  ...(['room', 'conference'] as const).flatMap((kind) =>
    (['name', 'title'] as const).map(
      (by): List => [
        `${kind}s found by ${by}`,
        `${kind}s_by_lower_${by}`,
        (s, r) => s.roomSearch.list(project_id, { kind, by, beginning: 'name-' }, byName(r)),
      ],
    ),
  ),
  ['webhooks', 'webhooks_by_time', (s, r) => s.webhooks.list(project_id, r)],
  [
    'deliveries of a webhook',
    'webhook_deliveries_by_time',
    (s, r) => s.webhookDeliveries.list(project_id, 'webhook-7', {}, r),
  ],
  [
    'failed deliveries of a webhook',
    'webhook_deliveries_not_delivered',
    (s, r) => s.webhookDeliveries.list(project_id, 'webhook-7', { status: 'failed' }, r),
  ],
  ['problems', 'events_of_problems', (s, r) => s.events.listProblems(project_id, r)],
  ['streams of a project', 'streams_by_time', (s, r) => s.streams.listOfProject(project_id, r)],
  ['runs of streams', 'stream_runs_by_time', (s, r) => s.streamRuns.list(project_id, r)],
  ['sessions', 'room_sessions_by_time', (s, r) => s.sessions.list(project_id, {}, r)],
  ['of a room', 'room_sessions_by_room', (s, r) => s.sessions.list(project_id, { roomId: 'room-7' }, r)],
  ['of a name', 'room_sessions_by_name', (s, r) => s.sessions.list(project_id, { roomName: 'name-7' }, r)],
  [
    'by part of the name',
    'room_sessions_by_time',
    (s, r) => s.sessions.list(project_id, { roomNameMatches: 'me-1' }, r),
  ],
  [
    'completed',
    'room_sessions_by_(status|time)',
    (s, r) => s.sessions.list(project_id, { status: 'completed' }, r),
  ],
  [
    'in progress',
    'room_sessions_by_status',
    (s, r) => s.sessions.list(project_id, { status: 'in-progress' }, r),
  ],
  [
    'completed, by part of the name',
    'room_sessions_by_(status|time)',
    (s, r) => s.sessions.list(project_id, { status: 'completed', roomNameMatches: 'me-1' }, r),
  ],
  [
    'completed, of a room',
    'room_sessions_by_room',
    (s, r) => s.sessions.list(project_id, { status: 'completed', roomId: 'room-7' }, r),
  ],
  [
    'completed, of a name',
    'room_sessions_by_name',
    (s, r) => s.sessions.list(project_id, { status: 'completed', roomName: 'name-7' }, r),
  ],
  ['calls', 'calls_by_time', (s, r) => s.calls.list(project_id, {}, r)],
  [
    'calls in progress',
    'calls_in_progress',
    (s, r) => s.calls.list(project_id, { status: 'in-progress' }, r),
  ],
  ['completed calls', 'calls_by_time', (s, r) => s.calls.list(project_id, { status: 'completed' }, r)],
  ['calls of a user', 'calls_by_from', (s, r) => s.calls.list(project_id, { from: 'name-7' }, r)],
  ['calls to a room', 'calls_by_to', (s, r) => s.calls.list(project_id, { to: 'name-7' }, r)],
  ['calls of a call', 'calls_by_parent', (s, r) => s.calls.list(project_id, { parentId: 'call-7' }, r)],
  [
    'calls between two times',
    'calls_by_time',
    (s, r) =>
      s.calls.list(project_id, { startedFrom: 5, startedBefore: 9e12, endedFrom: 5, endedBefore: 9e12 }, r),
  ],
  [
    'messages of a channel',
    'chat_messages_by_channel',
    (s, r) => s.chatMessages.listOfChannel(project_id, 'channel-7', r),
  ],
  [
    'messages of conferences',
    'chat_messages_of_conferences',
    (s, r) => s.chatMessages.listOfConferences(project_id, r),
  ],
  ['recordings', 'room_recordings_by_time', (s, r) => s.recordings.list(project_id, {}, r)],
  [
    'recordings of a session',
    'room_recordings_by_session',
    (s, r) => s.recordings.list(project_id, { sessionId: 'session-7' }, r),
  ],
  [
    'recordings of a room',
    'room_recordings_by_room',
    (s, r) => s.recordings.list(project_id, { roomName: 'name-7' }, r),
  ],
  [
    'completed recordings of a room',
    'room_recordings_by_room',
    (s, r) => s.recordings.list(project_id, { roomName: 'name-7', status: 'completed' }, r),
  ],
  [
    'completed recordings of some days',
    'room_recordings_by_time',
    (s, r) => s.recordings.list(project_id, { status: 'completed', since: 5, until: 9e12 }, r),
  ],
  [
    'running recordings',
    'room_recordings_unfinished_of_project',
    (s, r) => s.recordings.list(project_id, { status: 'recording' }, r),
  ],
  [
    'running recordings of a room',
    'room_recordings_unfinished_of_project',
    (s, r) => s.recordings.list(project_id, { status: 'recording', roomName: 'name-7' }, r),
  ],
  ['members', 'room_members_by_session', (s, r) => s.members.list(project_id, 'session-7', r)],
  [
    'events of a session',
    'events_by_room_session_id',
    (s, r) => s.events.list(project_id, { sessionId: 'session-7' }, r),
  ],
  [
    'events of a recording',
    'events_by_room_recording_id',
    (s, r) => s.events.list(project_id, { recordingId: 'recording-7' }, r),
  ],
]

/** The same place in a list that is ordered by name. */
const byName = ({ limit, cursor }: ListRequest): ListRequest => ({
  limit,
  cursor: cursor && { ...cursor, at: `name-${cursor.at}` },
})

/** The database's own description of how it runs a query. */
interface Plan {
  text: string
  usesIndex(name: string): boolean
}

async function sqlitePlan(db: Database, query: CompiledQuery): Promise<Plan> {
  const { rows } = await db.executeQuery<{ detail: string }>(explain('explain query plan', query))
  const text = rows.map((row) => row.detail).join('\n')
  return {
    text,
    usesIndex: (name) =>
      new RegExp(`SEARCH \\w+ USING (COVERING )?INDEX ${name} \\(project_id=\\?`).test(text),
  }
}

async function postgresPlan(db: Database, query: CompiledQuery): Promise<Plan> {
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(explain('explain', query))
  const text = rows.map((row) => row['QUERY PLAN']).join('\n')
  const usesIndex = (name: string) =>
    new RegExp(`Index (Only )?Scan( Backward)? using ${name} .*\\n\\s+Index Cond: .*project_id = `).test(text)
  return { text, usesIndex }
}

/**
 * Makes an `explain` query that is not a `select` for the driver. Otherwise the driver would read it as a page of a
 * list.
 */
function explain(how: string, query: CompiledQuery): CompiledQuery {
  return { ...query, query: sql``.toOperationNode(), sql: `${how} ${query.sql}` }
}

describe.each(databaseKinds)('lists in $kind', ({ kind, startServer }) => {
  let server: DatabaseServer
  let db: Database
  let seen: CompiledQuery[]

  beforeAll(async () => {
    server = await startServer()
    db = await openDatabase(await server.emptyDatabase(), ({ query }) => {
      seen.push(query)
    })
    seen = []
    await migrate(db)
    await fill(db)
    if (kind === 'PostgreSQL') await sql`vacuum analyze`.execute(db)
  }, 120_000)
  afterAll(async () => {
    await db.destroy()
    await server.remove()
  })

  it.each(lists)('"%s" is read from the index %s, wherever the page lies', async (_name, index, list) => {
    const middle = { at: ROWS / 2, id: 'x' }
    const cursors = [
      undefined,
      { ...middle, direction: 'after' },
      { ...middle, direction: 'before' },
    ] as const
    for (const cursor of cursors) {
      seen = []
      await list(repositories(db), { limit: 20, cursor })
      const queries = seen
      seen = []
      expect(queries.length).toBeGreaterThan(cursor ? 1 : 0)
      for (const query of queries) {
        const plan = await (kind === 'SQLite' ? sqlitePlan : postgresPlan)(db, query)
        expect(plan.usesIndex(index), plan.text).toBe(true)
        if (index.includes('_lower_')) expect(plan.text).toMatch(/<expr>[<>]|lower\(\w+\) [<>]=/)
        expect(plan.text).not.toMatch(/TEMP B-TREE|\bSort\b|\bSCAN\b|Seq Scan/)
      }
    }
  })
})

/** Fills tables with many rows of each kind. The database itself makes them. */
async function fill(db: Database): Promise<void> {
  const repository = repositories(db)
  const { projects, rooms, conferenceTokens, sessions, members, recordings, streamRuns, events } = repository
  await projects.insert({ id: project_id, name: 'plans', created_at: 1 })
  await projects.insert({ id: 'other', name: 'other', created_at: 1 })
  const template = { project_id: 'other', id: 'template' }
  await rooms.insert(sampleRoom(template))
  await repository.subscribers.insert({ ...template, reference: 'template', created_at: 0 })
  await sessions.insert(sampleSession(template))
  const ofSession = { ...template, room_session_id: 'template' }
  await members.insert(sampleMember(ofSession))
  await recordings.insert(sampleRecording(ofSession))
  await repository.calls.insert(sampleCall(ofSession))
  await repository.chatMessages.insert(sampleChatMessage(template))
  await repository.streams.insert({
    ...template,
    room_id: 'template',
    sealed_url: 'x',
    created_at: 0,
    updated_at: 0,
  })
  await streamRuns.insert(sampleStreamRun(ofSession))
  await conferenceTokens.insert(sampleConferenceToken({ ...template, conference_id: 'template' }))
  await repository.webhooks.insert(sampleWebhook(template))
  // The webhook gets the event, so there is a delivery.
  await events.append({
    ...ofSession,
    created_at: 0,
    room_id: null,
    room_recording_id: null,
    room_participant_id: null,
    level: 'info',
    name: 'room.started',
    payload: {},
  })
  const fields = { project_id: `'${project_id}'`, created_at: 'i' }
  await multiply(db, 'rooms', {
    ...fields,
    id: `'room-' || i`,
    name: `'name-' || i`,
    display_name: `'Name-' || (i + 1)`,
    join_from: 'case when i % 5 = 0 then i end',
    join_until: 'case when i % 5 < 2 then i end',
    conference: `case when i % 2 = 0 then '{}' end`,
  })
  await multiply(db, 'subscribers', { ...fields, id: `'subscriber-' || i`, reference: `'name-' || i` })
  await multiply(db, 'conference_tokens', {
    ...fields,
    id: `'token-' || i`,
    hash: `'hash-' || i`,
    conference_id: `'room-' || (1 + i % 500)`,
  })
  await multiply(db, 'room_sessions', {
    ...fields,
    id: `'session-' || i`,
    room_id: `'room-' || (i % 500)`,
    name: `'name-' || (i % 500)`,
    status: `case when i % 97 = 0 then 'in-progress' else 'completed' end`,
  })
  const bySession = { ...fields, room_session_id: `'session-' || (1 + i % 500)` }
  await multiply(db, 'chat_messages', {
    ...fields,
    id: `'message-' || i`,
    channel: `'channel-' || (i % 500)`,
    room_session_id: `case when i % 5 = 0 then 'session-7' end`,
  })
  await multiply(db, 'calls', {
    ...bySession,
    id: `'call-' || i`,
    parent_id: `case when i % 5 = 0 then 'call-' || (i % 500) end`,
    from_name: `'name-' || (i % 500)`,
    to_name: `'name-' || (i % 500)`,
    status: `case when i % 97 = 0 then 'in-progress' else 'completed' end`,
    ended_at: 'case when i % 97 <> 0 then i end',
  })
  await multiply(db, 'streams', { ...fields, id: `'stream-' || i`, room_id: `'room-' || (1 + i % 500)` })
  await multiply(db, 'stream_runs', { ...bySession, id: `'run-' || i` })
  await multiply(db, 'room_recordings', {
    ...bySession,
    id: `'recording-' || i`,
    room_name: `'name-' || (i % 500)`,
    status: `case when i % 97 = 0 then 'recording' else 'completed' end`,
  })
  await multiply(db, 'events', {
    ...bySession,
    id: `'event-' || i`,
    room_recording_id: `'recording-' || (i % 500)`,
  })
  await multiply(db, 'webhooks', { ...fields, id: `'webhook-' || i` })
  await multiply(db, 'webhook_deliveries', {
    ...bySession,
    id: `'delivery-' || i`,
    webhook_id: `'webhook-' || (i % 50)`,
    sequence: 'i',
    status: `case when i % 97 = 0 then 'failed' else 'delivered' end`,
  })
  const { created_at: join_time, ...ofMember } = bySession
  await multiply(db, 'room_members', { ...ofMember, id: `'member-' || i`, join_time })
}

/** @param fields the columns in which the copies differ from the row `template`; `i` is the number of the copy */
async function multiply(db: Database, table: string, fields: Record<string, string>): Promise<void> {
  const found = (await db.introspection.getTables()).find(({ name }) => name === table)
  const names = found?.columns.map(({ name }) => name) ?? []
  const values = names.map((name) => fields[name] ?? name)
  const insertion = `
    insert into ${table} (${names.join(', ')})
    with recursive counter(i) as (select 1 union all select i + 1 from counter where i < ${ROWS})
    select ${values.join(', ')} from ${table}, counter where project_id = 'other'`
  await sql.raw(insertion).execute(db)
}
