import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer } from './building-blocks.ts'
import { anyText, integer, moment, oneOf, uuid } from './fields.ts'
import type { RecordOf } from './records.ts'

/** Longer than the URLs of any service. The fields of the protocol itself have this limit too. */
const URL_MAX = 2048

export const StreamBody = Type.Object(
  {
    url: Type.String({
      maxLength: URL_MAX,
      examples: ['rtmps://live.example.com/app/key'],
      description: 'RTMP or RTMPS address that takes the stream. It may not lead into a private network.',
    }),
  },
  { title: 'StreamTarget', description: 'Where a stream goes.' },
)
export type StreamBody = Static<typeof StreamBody>

/** The fields of a stream. A stream belongs to a room, and has the picture size and frame rate of the room. */
export const streamFields = {
  id: uuid({ description: 'Id of the stream.', shown: ['stream'] }),
  project_id: uuid({ description: 'The project that it belongs to.' }),
  room_id: uuid({ description: 'The room or the conference.' }),
  sealed_url: anyText({ description: "The address, sealed: it holds the key of the customer's channel." }),
  url: anyText({
    computed: true,
    default: null,
    description: 'RTMP or RTMPS address that takes the stream.',
    examples: ['rtmps://live.example.com/app/key'],
    shown: ['stream'],
  }),
  stream_type: oneOf(['rtmp'], {
    computed: true,
    default: null,
    description: 'Type of stream.',
    shown: ['stream'],
  }),
  width: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Width of the picture in pixels.',
      examples: [1280],
      shown: ['stream'],
    },
  ),
  height: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Height of the picture in pixels.',
      examples: [720],
      shown: ['stream'],
    },
  ),
  fps: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Frames per second of the picture.',
      examples: [20],
      shown: ['stream'],
    },
  ),
  created_at: moment({ description: 'When the stream was created.', shown: ['stream'] }),
  updated_at: moment({ description: 'When the stream was changed last.', shown: ['stream'] }),
  status: oneOf(['waiting', 'connecting', 'live', 'retrying'], {
    computed: true,
    description:
      'An addition of this server. How the connection is: `waiting` for a session, `connecting` for the first time, `live`, or `retrying` every one to two seconds.',
    shown: ['stream'],
  }),
  live_since: moment({
    computed: true,
    default: null,
    description: 'An addition of this server. Since when the destination takes the stream.',
    shown: ['stream'],
  }),
  retrying_since: moment({
    computed: true,
    default: null,
    description: 'An addition of this server. Since when the stream does not run though it should.',
    shown: ['stream'],
  }),
  last_error: oneOf(['address_refused', 'unreachable', 'closed', 'stalled'], {
    computed: true,
    default: null,
    description:
      'An addition of this server. Why the stream did not run at last: its address leads where streams may not go; no connection, or the destination did not take it; the destination closed the connection; it stopped reading.',
    shown: ['stream'],
  }),
}

/** A stream as it is stored. */
export type StreamRecord = RecordOf<typeof streamFields>

export const Stream = Answer(answerFields(streamFields, 'stream'), {
  title: 'Stream',
  description:
    'Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it.',
})
export type Stream = Static<typeof Stream>
