import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

/** Longer than any service hands out, and as long as the protocol's own fields take. */
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

export const Stream = Answer(
  {
    id: Uuid({ description: 'Id of the stream.' }),
    url: Nullable(
      Type.String({
        examples: ['rtmps://live.example.com/app/key'],
        description: 'RTMP or RTMPS address that takes the stream.',
      }),
    ),
    stream_type: Nullable(OneOf(['rtmp'], { description: 'Type of stream.' })),
    width: Nullable(Type.Integer({ examples: [1280], description: 'Width of the picture in pixels.' })),
    height: Nullable(Type.Integer({ examples: [720], description: 'Height of the picture in pixels.' })),
    fps: Nullable(Type.Integer({ examples: [20], description: 'Frames per second of the picture.' })),
    created_at: Timestamp({ description: 'When the stream was created.' }),
    updated_at: Timestamp({ description: 'When the stream was changed last.' }),
    status: OneOf(['waiting', 'connecting', 'live', 'retrying'], {
      description:
        'An addition of this server. How the connection is: `waiting` for a session, `connecting` for the first time, `live`, or `retrying` every one to two seconds.',
    }),
    live_since: Nullable(
      Timestamp({ description: 'An addition of this server. Since when the destination takes the stream.' }),
    ),
    retrying_since: Nullable(
      Timestamp({
        description: 'An addition of this server. Since when the stream does not run though it should.',
      }),
    ),
    last_error: Nullable(
      OneOf(['address_refused', 'unreachable', 'closed', 'stalled'], {
        description:
          'An addition of this server. Why the stream did not run at last: its address leads where streams may not go; no connection, or the destination did not take it; the destination closed the connection; it stopped reading.',
      }),
    ),
  },
  {
    title: 'Stream',
    description:
      'Where picture and sound of a room or conference go. It starts when a session is in progress and stops with it.',
  },
)
export type Stream = Static<typeof Stream>
