import { type Static, Type } from 'typebox'
import { Answer, Nullable, Optional } from './building-blocks.ts'

/** A petabyte. */
export const MOST_QUOTA_BYTES = 1e15

const quota = Type.Integer({
  minimum: 1,
  maximum: MOST_QUOTA_BYTES,
  examples: [500_000_000_000],
  description: 'Bytes that all recordings may take together; null for as much as there is room for.',
})

/** How much the recordings of a project may take, and do. */
export const RecordingQuota = Answer(
  {
    quota_in_bytes: Nullable(quota),
    used_in_bytes: Type.Integer({ description: 'Bytes that they take.', examples: [123_456_789] }),
    recordings: Type.Integer({ description: 'How many they are.', examples: [42] }),
  },
  { title: 'RecordingQuota', description: 'How much room recordings may take.' },
)

export const SetRecordingQuotaBody = Type.Object({ quota_in_bytes: Optional(quota) })
export type SetRecordingQuotaBody = Static<typeof SetRecordingQuotaBody>
