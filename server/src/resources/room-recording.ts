import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'

export const RECORDING_STATUSES = ['recording', 'paused', 'processing', 'completed'] as const
export const MEDIA_TTL_DEFAULT_SECONDS = 900

const mediaTtl = Type.Integer({
  minimum: 0,
  default: MEDIA_TTL_DEFAULT_SECONDS,
  description: 'Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already.',
})

export const RecordingQuery = Type.Object({ media_ttl: mediaTtl })
export const ListRecordingsQuery = Type.Object({ media_ttl: mediaTtl, ...pagingFields })
export type ListRecordingsQuery = Static<typeof ListRecordingsQuery>

export const RoomRecording = Answer(
  {
    id: Uuid({ description: 'Id of the recording.' }),
    room_session_id: Uuid({ description: 'The session it was made in.' }),
    status: Nullable(OneOf(RECORDING_STATUSES, { description: 'How far it is.' })),
    started_at: Nullable(Timestamp({ description: 'When its first frame was written.' })),
    finished_at: Nullable(Timestamp({ description: 'When its last frame was written.' })),
    duration: Nullable(Type.Integer({ examples: [734], description: 'Seconds of media, pauses left out.' })),
    size_in_bytes: Nullable(Type.Number({ examples: [8123456], description: 'Size of the file.' })),
    format: Nullable(Type.String({ examples: ['video/mp4'], description: 'MIME type of the file.' })),
    cost_in_dollars: Type.Number({ examples: [0.024], description: 'By the price list of the server.' }),
    uri: Nullable(
      Type.String({
        examples: [
          'https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl',
        ],
        description: 'Link to the media, for a while; null until it is completed.',
      }),
    ),
    created_at: Timestamp({ description: 'When the recording was asked for.' }),
    updated_at: Timestamp({ description: 'When it changed last.' }),
  },
  { title: 'RoomRecording', description: 'A recording of a room session.' },
)
export type RoomRecording = Static<typeof RoomRecording>
