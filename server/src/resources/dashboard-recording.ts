import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer, Moment, Nullable, OneOf, Text } from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { MOST_RETENTION_DAYS } from './recording-retention.ts'
import { RECORDING_STATUSES, RecordingQuery, recordingFields } from './room-recording.ts'

/** Recordings as the dashboard lists them, and how they are looked for. */

const roomName = (description: string) => Text({ maxLength: 200, examples: ['board'], description })

export const SearchRecordingsQuery = Type.Object({
  ...RecordingQuery.properties,
  room_name: Type.Optional(roomName('Only recordings of this room.')),
  since: Type.Optional(Moment({ description: 'Only recordings that were asked for then or later.' })),
  until: Type.Optional(Moment({ description: 'Only recordings that were asked for before.' })),
  status: Type.Optional(OneOf(RECORDING_STATUSES, { description: 'Only recordings in this status.' })),
  ...pagingFields,
})

export const FoundRecording = Answer(
  {
    ...answerFields(recordingFields, 'recording'),
    room_name: Type.String({ examples: ['board'], description: 'Name of the room.' }),
    poster_uri: Nullable(
      Type.String({
        examples: ['https://meet.example.org/media/9d3f2c50/posters/0c8f1c2b.webp?expires=1896082200'],
        description:
          'Link to one picture of it, for a while; null where nothing can be played. It answers 404 where no picture can be made.',
      }),
    ),
  },
  { title: 'FoundRecording', description: 'A recording, with its room and a picture.' },
)
export type FoundRecording = Static<typeof FoundRecording>

export const OldRecordingsQuery = Type.Object({
  days: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: MOST_RETENTION_DAYS,
    examples: [90],
    description: 'Recordings that were finished before so many days.',
  }),
  room_name: Type.Optional(roomName('Those of this room; absent for all rooms without a rule of their own.')),
})

export const OldRecordings = Answer(
  {
    recordings: Type.Integer({ examples: [12], description: 'Number of them.' }),
    bytes: Type.Number({ examples: [81_234_560], description: 'Size of their files.' }),
  },
  { title: 'OldRecordings', description: 'What a rule would delete.' },
)
