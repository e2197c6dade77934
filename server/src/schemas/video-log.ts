import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

const Charge = Answer(
  {
    description: Type.String({ description: 'What it is for.' }),
    charge: Type.Number({ description: 'Dollars, by the price list of the server.' }),
  },
  { description: 'One part of the charge.' },
)

export const VideoLog = Answer(
  {
    id: Uuid({
      description: 'Id of the entry: that of the session or recording, or of one run of a stream.',
    }),
    source: OneOf(['realtime_api'], { description: 'Where the entry comes from.' }),
    type: OneOf(['video_conference_session', 'video_room_recording', 'video_stream'], {
      description: 'A session of a room or conference, a recording, or one run of a stream.',
    }),
    url: Nullable(
      Type.String({
        description: 'Where to ask for the session, recording or stream; null where nothing is kept.',
      }),
    ),
    room_name: Nullable(Type.String({ description: 'Name of the room or conference.' })),
    status: Nullable(
      Type.String({
        description:
          'Of a session `in-progress` or `completed`; of a recording as that says; of a stream `streaming` or `completed`.',
      }),
    ),
    locked: Type.Boolean({ description: 'The session is locked, or was when it ended.' }),
    started_at: Nullable(Timestamp({ description: 'When it began.' })),
    ended_at: Nullable(Timestamp({ description: 'When it ended; null while it goes on.' })),
    charge: Type.Number({ description: 'Dollars, by the price list of the server.' }),
    created_at: Timestamp({ description: 'When it was stored first.' }),
    charge_details: Type.Array(Charge, { description: 'What the charge consists of.' }),
  },
  { description: 'Something that took place. No part of it is charged in another entry too.' },
)
export type VideoLog = Static<typeof VideoLog>
