import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Text, Timestamp, Uuid } from './building-blocks.ts'
import { LIVE_LAYOUTS } from './layout-names.ts'
import { StreamBody } from './stream.ts'

/** Running rooms as the dashboard shows them, and what can be done to them. */

const LiveMember = Answer(
  {
    id: Uuid({ description: 'Id of the member.' }),
    name: Type.String({ examples: ['Ada'], description: 'Name of the member.' }),
    type: OneOf(['member', 'screen', 'device'], {
      examples: ['member'],
      description: 'A person, or a screen share or additional device of one.',
    }),
    audio_muted: Type.Boolean({ examples: [false], description: 'Whether nobody hears the member.' }),
    video_muted: Type.Boolean({ examples: [false], description: 'Whether nobody sees the member.' }),
    hand_raised: Type.Boolean({ examples: [false], description: 'Whether the hand is up.' }),
    connection: OneOf(['connected', 'connecting', 'interrupted', 'away'], {
      examples: ['connected'],
      description:
        '`connecting`: no media yet. `interrupted`: media came, and do not at the moment. `away`: the client is not connected, and its place is kept for a while.',
    }),
    quality: Nullable(
      Answer(
        {
          level: OneOf(['good', 'fair', 'poor'], {
            examples: ['good'],
            description: 'Whether people notice the loss or the delay.',
          }),
          loss: Type.Number({
            minimum: 0,
            maximum: 1,
            examples: [0.01],
            description: 'Share of packets that the network lost, in the worse direction.',
          }),
          round_trip_ms: Nullable(
            Type.Number({ minimum: 0, examples: [40], description: 'Round trip in milliseconds, if known.' }),
          ),
        },
        { description: 'What the server measured in the last 10 seconds; null before.', examples: [null] },
      ),
    ),
  },
  { title: 'LiveMember', description: 'Somebody in a running room.' },
)

export const LiveRoom = Answer(
  {
    id: Uuid({ description: 'Id of the session.' }),
    room_id: Uuid({ description: 'Id of the room or conference.' }),
    name: Type.String({ examples: ['board'], description: 'Name of the room.' }),
    display_name: Type.String({ examples: ['Board'], description: 'The name that people see.' }),
    start_time: Timestamp({ description: 'When the session began.' }),
    preview_url: Nullable(
      Type.String({
        examples: [null],
        description: 'A video of a few seconds, made anew every 20 seconds; null where previews are off.',
      }),
    ),
    locked: Type.Boolean({ examples: [false], description: 'Whether nobody else may come in.' }),
    layout: Type.String({ examples: ['grid-responsive'], description: 'Name of the layout.' }),
    has_chat: Type.Boolean({ examples: [true], description: 'Whether the room has a chat.' }),
    people: Type.Integer({
      minimum: 0,
      examples: [3],
      description: 'People in it, without audience, screen shares and devices.',
    }),
    members: Type.Array(LiveMember, {
      description: 'The first of those in it, in the order in which they came. No audience.',
    }),
    audience: Type.Integer({ minimum: 0, examples: [12], description: 'People who watch.' }),
    recording: Nullable(
      OneOf(['recording', 'paused'], { examples: [null], description: 'The recording; null without one.' }),
    ),
    streams: Type.Integer({ minimum: 0, examples: [1], description: 'Streams that run or are tried again.' }),
  },
  { title: 'LiveRoom', description: 'A room with a session in progress.' },
)
export type LiveRoom = Static<typeof LiveRoom>

export const LiveRooms = Answer(
  {
    total: Type.Integer({ minimum: 0, examples: [1], description: 'Number of running rooms.' }),
    data: Type.Array(LiveRoom, { description: 'The newest of them.' }),
  },
  { title: 'LiveRooms', description: 'What runs now.' },
)

export const LiveRoomChanges = Type.Object(
  {
    locked: Type.Optional(
      Type.Boolean({ examples: [false], description: 'Whether nobody else may come in.' }),
    ),
    layout: Type.Optional(OneOf(LIVE_LAYOUTS, { examples: ['2x2'], description: 'Name of the layout.' })),
  },
  { title: 'LiveRoomChanges', description: 'What changes for the rest of the session.' },
)

export const MuteBody = Type.Object(
  {
    member_id: Type.Optional(
      Text({
        maxLength: 100,
        examples: ['9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
        description: 'Whom; absent for everybody.',
      }),
    ),
  },
  { title: 'Mute', description: 'Whose microphone is turned off.' },
)

/** As long as the page lets people write. */
const MESSAGE_MAX_LENGTH = 2000

export const AnnouncementBody = Type.Object(
  {
    text: Text({
      minLength: 1,
      maxLength: MESSAGE_MAX_LENGTH,
      examples: ['The meeting ends in five minutes.'],
      description: 'What everybody reads.',
    }),
  },
  { title: 'Announcement', description: 'A message into the chat of a room.' },
)

export const Announced = Answer(
  {
    text: Type.String({ examples: ['The meeting ends in five minutes.'], description: 'The message.' }),
    from: Type.String({ examples: ['Ada'], description: 'The name under which people read it.' }),
  },
  { title: 'Announced', description: 'A message that was written into the chat of a room.' },
)

export const LiveStreamResult = Answer(
  {
    outcome: OneOf(['taken', 'unreachable'], {
      examples: ['taken'],
      description: 'Whether the destination took the stream. If not, it is not tried again.',
    }),
  },
  { title: 'LiveStreamResult', description: 'What became of a stream.' },
)

export const LiveStreamBody = Type.Object(StreamBody.properties, {
  title: 'LiveStreamTarget',
  description: 'Where the session is sent to until it ends.',
})
