import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { StreamBody, streamFields } from './stream.ts'

/** Streams of a whole project, as the dashboard lists them. No answer here has the key of a destination. */

const STATES = ['waiting', 'connecting', 'live', 'retrying'] as const

export const ListStreamsQuery = Type.Object({
  status: Type.Optional(OneOf(STATES, { examples: ['live'], description: 'Only streams in this state.' })),
  ...pagingFields,
})

export const ListedStream = Answer(
  {
    id: Uuid({ description: 'Id of the stream.' }),
    kept: Type.Boolean({
      examples: [true],
      description:
        'Whether it belongs to the room and starts with every session. Others end with their session.',
    }),
    room_id: Uuid({ description: 'The room or the conference.' }),
    room_name: Type.String({ examples: ['board'], description: 'Its name.' }),
    room_session_id: Nullable(
      Type.String({ examples: [null], description: 'The session in progress; null without one.' }),
    ),
    destination: Nullable(
      Type.String({
        examples: ['rtmps://live.example.com/app/…'],
        description: 'Where it goes, without the key; null for those who may only see what is there.',
      }),
    ),
    status: OneOf(STATES, { examples: ['live'], description: streamFields.status.description }),
    live_since: Nullable(Timestamp({ description: streamFields.live_since.description })),
    retrying_since: Nullable(Timestamp({ description: streamFields.retrying_since.description })),
    last_error: Nullable(
      OneOf(['address_refused', 'unreachable', 'closed', 'stalled'], {
        examples: [null],
        description: streamFields.last_error.description,
      }),
    ),
    reconnects: Type.Integer({
      minimum: 0,
      examples: [0],
      description: 'How often the connection was made again in this session.',
    }),
    created_at: Timestamp({ description: 'When it was created.' }),
  },
  { title: 'ListedStream', description: 'A stream, without the key of its destination.' },
)
export type ListedStream = Static<typeof ListedStream>

export const StreamTestBody = Type.Object(StreamBody.properties, {
  title: 'StreamTestTarget',
  description: 'What is tried.',
})

export const StreamTestResult = Answer(
  {
    outcome: OneOf(['taken', 'unknown_host', 'unreachable', 'closed', 'stalled'], {
      examples: ['taken'],
      description:
        '`taken`: the destination took the test picture to its end. `unknown_host`: nothing has this name. `unreachable`: no connection, or it did not take the stream. `closed`: it took it and closed the connection. `stalled`: it took it and stopped reading.',
    }),
    published_ms: Type.Integer({
      minimum: 0,
      examples: [3000],
      description: 'How long it took the picture, in milliseconds.',
    }),
  },
  { title: 'StreamTestResult', description: 'What became of a few seconds of test picture.' },
)
export type StreamTestResult = Static<typeof StreamTestResult>
