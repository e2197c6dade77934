import { type Static, Type } from 'typebox'
import { Answer, Timestamp, Uuid } from './building-blocks.ts'

/** A minute to a year. */
const LIFETIME = { minimum: 60, maximum: 366 * 24 * 60 * 60 }

const shareFields = {
  id: Uuid({ description: 'Id of the link.' }),
  expires_at: Timestamp({ description: 'Until when it works.' }),
  created_at: Timestamp({ description: 'When it was made.' }),
}

export const RecordingShare = Answer(shareFields, {
  title: 'RecordingShare',
  description: 'A link by which anybody plays a recording.',
})
export type RecordingShare = Static<typeof RecordingShare>

export const RecordingShares = Answer(
  { data: Type.Array(RecordingShare, { description: 'Oldest first.' }) },
  { title: 'RecordingShares', description: 'The links of a recording that have not expired.' },
)

export const FreshRecordingShare = Answer(
  {
    ...shareFields,
    uri: Type.String({
      examples: ['https://meet.example.org/media/shared/recording.mp4?key=6c62e4a9f0d1b35a'],
      description: 'The link. It is shown only now.',
    }),
  },
  { title: 'FreshRecordingShare', description: 'A new link, with its address.' },
)

export const CreateRecordingShareBody = Type.Object({
  expires_in_seconds: Type.Integer({
    ...LIFETIME,
    examples: [86_400],
    description: 'For how long the link works.',
  }),
})

export const RecordingShareParams = Type.Object({
  id: Uuid({ description: 'Id of the recording.' }),
  share_id: Uuid({ description: 'Id of the link.' }),
})
