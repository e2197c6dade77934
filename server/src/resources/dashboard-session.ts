import { type Static, Type } from 'typebox'
import { Answer, Moment, Nullable, OneOf, Text, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { SESSION_STATUSES } from './room-session.ts'

/** Sessions as the dashboard lists them, and how they are looked for. */

const NAME_MAX_LENGTH = 200

export const SearchSessionsQuery = Type.Object({
  room_name: Type.Optional(
    Text({ maxLength: NAME_MAX_LENGTH, examples: ['board'], description: 'Only sessions of this room.' }),
  ),
  person: Type.Optional(
    Text({
      maxLength: NAME_MAX_LENGTH,
      examples: ['Ada Lovelace'],
      description: 'Only sessions in which somebody of this name was, in small or capital letters.',
    }),
  ),
  since: Type.Optional(Moment({ description: 'Only sessions that began then or later.' })),
  until: Type.Optional(Moment({ description: 'Only sessions that began before.' })),
  status: Type.Optional(OneOf(SESSION_STATUSES, { description: 'Only sessions in this status.' })),
  ...pagingFields,
})

export const FoundSession = Answer(
  {
    id: Uuid({ description: 'Id of the session.' }),
    name: Type.String({ examples: ['board'], description: 'Name of the room.' }),
    status: OneOf(SESSION_STATUSES, {
      examples: ['completed'],
      description: 'Whether it is still going on.',
    }),
    start_time: Timestamp({ description: 'When it began.' }),
    end_time: Nullable(Timestamp({ description: 'When it ended; null while it is in progress.' })),
    people: Type.Integer({ examples: [4], description: 'How often somebody joined, audience included.' }),
    recordings: Type.Integer({ examples: [1], description: 'Recordings that were made in it.' }),
    cost_in_dollars: Type.Number({ examples: [0.024], description: 'What its members cost.' }),
  },
  { title: 'FoundSession', description: 'A running or finished instance of a room.' },
)
export type FoundSession = Static<typeof FoundSession>

export const NamesQuery = Type.Object({
  beginning: Type.Optional(
    Text({
      maxLength: NAME_MAX_LENGTH,
      examples: ['bo'],
      description: 'How the names begin. Names of people may be in small or capital letters.',
    }),
  ),
})

const names = (description: string, example: string) =>
  Type.Array(Type.String(), { examples: [[example]], description })

export const SessionNames = Answer(
  {
    rooms: names('Names of rooms that had sessions.', 'board'),
    people: names('Names of people who were in sessions.', 'Bob'),
  },
  { title: 'SessionNames', description: 'A few names that sessions can be looked for by, in order.' },
)
