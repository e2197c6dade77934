import { type Static, Type } from 'typebox'
import { Answer, Nullable, Optional } from './building-blocks.ts'

/** A hundred years. */
export const MOST_RETENTION_DAYS = 36_500

const days = Type.Integer({
  minimum: 1,
  maximum: MOST_RETENTION_DAYS,
  examples: [90],
  description: 'Recordings are deleted so many days after they were finished; null keeps them for ever.',
})

/** How long a project keeps its recordings. */
export const RecordingRetention = Answer(
  { days: Nullable(days) },
  { title: 'RecordingRetention', description: 'How long recordings are kept.' },
)

export const SetRecordingRetentionBody = Type.Object({ days: Optional(days) })
export type SetRecordingRetentionBody = Static<typeof SetRecordingRetentionBody>
