import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useValidation } from '../api/conventions/validation.ts'
import { Refusal } from '../errors/refusal.ts'
import { columnsOf } from '../storage/columns.ts'
import { migrate } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open-storage.ts'
import { answerFields, exactShower, shower } from './answers.ts'
import { bodyFields, bodyReader, nothingLeft } from './bodies.ts'
import { Answer } from './building-blocks.ts'
import { boolean, integer, moment } from './fields.ts'
import { copiedToSession, defaultsOf, picker, type RecordOf } from './records.ts'
import { UpdateRoomBody } from './room.ts'
import { roomFields } from './room-fields.ts'

/** The fields of a room and three more. Below, only the requests and the expected results name the new fields. */
const fields = {
  ...roomFields,
  coffee_break: boolean({
    default: false,
    description: 'Members wait until somebody lets them in.',
    set: ['room'],
    shown: ['room', 'live_session'],
    copiedTo: 'session',
  }),
  waiting_places: integer(
    { minimum: 1, maximum: 50 },
    { default: 10, description: 'How many can wait.', set: ['room'], shown: ['room'] },
  ),
  waiting_until: moment({
    default: null,
    description: 'Nobody waits after.',
    set: ['room'],
    shown: ['room'],
  }),
}
type Room = RecordOf<typeof fields>

const Body = Type.Object(bodyFields(fields, 'room'))
const Shown = Answer(answerFields(fields, 'room'), { description: 'A room.' })

const columns = columnsOf(fields)
const read = bodyReader(fields, 'room')
const show = shower(fields, 'room')
const showLive = exactShower(fields, 'live_session')
const takeOver = picker(copiedToSession(fields))

/** Starts a server. Its `POST` stores a new room in a real database and returns the stored record. */
async function roomServer(location: string) {
  const db = await openDatabase(location)
  await migrate(db)
  await sql`alter table rooms add column coffee_break integer not null default 0`.execute(db)
  await sql`alter table rooms add column waiting_places integer not null default 10`.execute(db)
  await sql`alter table rooms add column waiting_until integer`.execute(db)
  await db
    .insertInto('projects')
    .values({ id: 'p', name: 'p', space: null, subscriber_rooms: null, created_at: 1 })
    .execute()
  const stored = async (id: string) =>
    columns.fromRow((await sql<never>`select * from rooms where id = ${id}`.execute(db)).rows[0]!)

  const app = Fastify()
  useValidation(app)
  app.setErrorHandler((error, _request, reply) =>
    error instanceof Refusal ? reply.code(422).send(error.entries) : reply.send(error),
  )
  app.post('/rooms/:id', { schema: { body: Body, response: { 200: Shown } } }, async (request) => {
    const { id } = request.params as { id: string }
    const said = Object.entries(read(request.body as Static<typeof Body>)).filter(
      ([, value]) => value !== null,
    )
    const room: Room = {
      ...defaultsOf(fields),
      ...Object.fromEntries(said),
      id,
      project_id: 'p',
      name: id,
      fps: 20,
      created_at: 1,
      updated_at: 1,
    }
    await db.insertInto('rooms').values(columns.toRow(room)).execute()
    return show(await stored(id))
  })
  return { app, stored, close: () => Promise.all([app.close(), db.destroy()]) }
}

let folder: string
let server: Awaited<ReturnType<typeof roomServer>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-new-field-'))
  server = await roomServer(join(folder, 'rooms.db'))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const post = (id: string, payload: object) =>
  server.app.inject({ method: 'POST', url: `/rooms/${id}`, payload })

test('a field that is declared is read from the body, stored, and shown', async () => {
  const body = { coffee_break: true, waiting_places: 50, waiting_until: '2030-01-31T10:30:00+01:00' }
  const answer = await post('open', body)
  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toMatchObject({ ...body, waiting_until: '2030-01-31T09:30:00Z', max_members: 20 })
  const waiting_until = Date.parse('2030-01-31T09:30:00Z')
  expect(await server.stored('open')).toMatchObject({ ...body, waiting_until, record_on_start: false })
})

test.each([{}, { coffee_break: null, waiting_places: null, waiting_until: null }])(
  'a field that %j says nothing of has its default',
  async (body) => {
    const id = `default-${Object.keys(body).length}`
    expect((await post(id, body)).json()).toMatchObject({
      coffee_break: false,
      waiting_places: 10,
      waiting_until: null,
    })
  },
)

test.each([
  [{ coffee_break: 'yes' }, 'not_a_boolean'],
  [{ waiting_places: 0 }, 'invalid_parameter'],
  [{ waiting_places: 51 }, 'invalid_parameter'],
  [{ waiting_until: '2030-02-30' }, 'not_a_datetime'],
])('%j is refused', async (body, code) => {
  const answer = await post('refused', body)
  expect(answer.statusCode).toBe(422)
  expect(answer.json()).toMatchObject([{ code, attribute: Object.keys(body)[0] }])
})

test('a field reaches sessions and live objects where its declaration says so', async () => {
  await post('live', { coffee_break: true })
  const room = await server.stored('live')
  expect(takeOver(room)).toMatchObject({ coffee_break: true, max_members: 20 })
  expect(takeOver(room)).not.toHaveProperty('waiting_places')
  expect(showLive(room)).toEqual({
    name: 'live',
    prioritize_handraise: false,
    name_labels: false,
    coffee_break: true,
  })
})

test('a field that a schema accepts and nobody reads does not compile', () => {
  const readRoom = bodyReader(roomFields, 'room')
  const { name: _, ...declared } = { name: 'standup' } as Static<typeof UpdateRoomBody>
  expect(readRoom(declared)).toEqual({})
  const accepted: Static<typeof Body> = { coffee_break: true, waiting_until: '2030-01-31' }
  // @ts-expect-error `coffee_break` is not among the fields that this reader reads.
  expect(readRoom(accepted)).toEqual({})
  const WithMore = Type.Object({ ...UpdateRoomBody.properties, lobby: Type.Optional(Type.Boolean()) })
  const { name: __, ...undeclared } = { name: 'standup' } as Static<typeof WithMore>
  // @ts-expect-error `lobby` is declared in the schema alone.
  expect(readRoom(undeclared)).toEqual({})
  nothingLeft({})
  // @ts-expect-error `lobby` is left.
  nothingLeft(undeclared)
})
