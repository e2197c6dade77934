import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer } from './building-blocks.ts'
import { anyText, integer, moment, number, oneOf, uuid } from './fields.ts'
import { pagingFields } from './paging.ts'
import type { RecordOf } from './records.ts'

export const RECORDING_STATUSES = ['recording', 'paused', 'processing', 'completed'] as const
/**
 * `disk`: in the recordings folder. `sending`: there, and to be sent to the store of objects. `store`: in the store alone.
 * `lost`: it should be in the store, and is not.
 */
export const RECORDING_PLACES = ['disk', 'sending', 'store', 'lost'] as const
export const MEDIA_TTL_DEFAULT_SECONDS = 900

const mediaTtl = Type.Integer({
  minimum: 0,
  default: MEDIA_TTL_DEFAULT_SECONDS,
  description: 'Seconds for which the media link in `uri` is valid; 0 gives a link that has expired already.',
})

export const RecordingQuery = Type.Object({ media_ttl: mediaTtl })
export const ListRecordingsQuery = Type.Object({ media_ttl: mediaTtl, ...pagingFields })
export type ListRecordingsQuery = Static<typeof ListRecordingsQuery>

/** The fields of a recording. */
export const recordingFields = {
  id: uuid({ description: 'Id of the recording.', shown: ['recording'] }),
  project_id: uuid({ description: 'The project that it belongs to.' }),
  room_session_id: uuid({ description: 'The session it was made in.', shown: ['recording'] }),
  room_id: uuid({ default: null, description: 'The room of that session.' }),
  room_name: anyText({ description: 'Name of that room when the session began.' }),
  status: oneOf(RECORDING_STATUSES, {
    description: 'How far it is.',
    shown: ['recording'],
    nullable: ['recording'],
  }),
  started_at: moment({
    default: null,
    description: 'When its first frame was written.',
    shown: ['recording'],
  }),
  finished_at: moment({
    default: null,
    description: 'When its last frame was written.',
    shown: ['recording'],
  }),
  duration: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Seconds of media, pauses left out.',
      examples: [734],
      shown: ['recording'],
    },
  ),
  duration_ms: integer({}, { default: null, description: 'Milliseconds of media, pauses left out.' }),
  size_in_bytes: number({
    default: null,
    description: 'Size of the file.',
    examples: [8123456],
    shown: ['recording'],
  }),
  format: anyText({
    default: null,
    description: 'MIME type of the file.',
    examples: ['video/mp4'],
    shown: ['recording'],
  }),
  file: anyText({ description: 'Path below the recordings folder of the data directory.' }),
  place: oneOf(RECORDING_PLACES, { default: 'disk', description: 'Where the file is kept.' }),
  stored_at: moment({ default: null, description: 'When the store had the whole file.' }),
  sha256: anyText({ default: null, description: 'SHA-256 of the file in the store, in hexadecimal.' }),
  cost_in_dollars: number({
    computed: true,
    description: 'By the price list of the server.',
    examples: [0.024],
    shown: ['recording'],
  }),
  uri: anyText({
    computed: true,
    default: null,
    description: 'Link to the media, for a while; null until it is completed.',
    examples: [
      'https://meet.example.org/media/9d3f2c50/recordings/0c8f1c2b.mp4?expires=1896082200&signature=c2lnbmF0dXJl',
    ],
    shown: ['recording'],
  }),
  created_at: moment({ description: 'When the recording was asked for.', shown: ['recording'] }),
  updated_at: moment({ description: 'When it changed last.', shown: ['recording'] }),
}

/** A recording as it is stored. */
export type RecordingRecord = RecordOf<typeof recordingFields>

export const RoomRecording = Answer(answerFields(recordingFields, 'recording'), {
  title: 'RoomRecording',
  description: 'A recording of a room session.',
})
export type RoomRecording = Static<typeof RoomRecording>
