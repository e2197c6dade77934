import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

const Charge = Answer(
  {
    description: Type.String({ examples: ['Member minutes'], description: 'What it is for.' }),
    charge: Type.Number({ examples: [0.024], description: 'Dollars, by the price list of the server.' }),
  },
  { title: 'VideoLogCharge', description: 'One part of the charge.' },
)

export const VideoLog = Answer(
  {
    id: Uuid({
      description: 'Id of the entry: that of the session or recording, or of one run of a stream.',
    }),
    source: OneOf(['realtime_api'], { description: 'Where the entry comes from.' }),
    type: OneOf(['video_room_session', 'video_conference_session', 'video_room_recording', 'video_stream'], {
      description:
        'A session of a room, one of a conference, a recording, or one run of a stream. A session of a conference that was deleted counts as that of a room.',
    }),
    url: Nullable(
      Type.String({
        examples: ['https://meet.example.org/api/video/room_sessions/9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11'],
        description: 'Where to ask for the session, recording or stream; null where nothing is kept.',
      }),
    ),
    room_name: Nullable(
      Type.String({ examples: ['standup'], description: 'Name of the room or conference.' }),
    ),
    status: Nullable(
      Type.String({
        examples: ['completed'],
        description:
          'Of a session `in-progress` or `completed`; of a recording as that says; of a stream `streaming` or `completed`.',
      }),
    ),
    locked: Type.Boolean({ description: 'The session is locked, or was when it ended.' }),
    started_at: Nullable(Timestamp({ description: 'When it began.' })),
    ended_at: Nullable(Timestamp({ description: 'When it ended; null while it goes on.' })),
    charge: Type.Number({ examples: [0.024], description: 'Dollars, by the price list of the server.' }),
    created_at: Timestamp({ description: 'When it was stored first.' }),
    charge_details: Type.Array(Charge, { description: 'What the charge consists of.' }),
  },
  {
    title: 'VideoLog',
    description: 'Something that took place. No part of it is charged in another entry too.',
  },
)
export type VideoLog = Static<typeof VideoLog>
