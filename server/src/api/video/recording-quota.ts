import { nothingLeft } from '../../resources/bodies.ts'
import { RecordingQuota, SetRecordingQuotaBody } from '../../resources/recording-quota.ts'
import type { QuotaState } from '../../rooms/retention/recording-quotas.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Room recordings'

const show = ({ quotaBytes, usedBytes, recordings }: QuotaState) => ({
  quota_in_bytes: quotaBytes,
  used_in_bytes: usedBytes,
  recordings,
})

/** `/recording_quota`: how much the recordings of the project may take. */
export const recordingQuotaOperations: Operation[] = [
  operation(
    {
      route: 'GET /recording_quota',
      operationId: 'getRecordingQuota',
      summary: 'Read how much room recordings may take',
      description: 'The limit of the project, and what its recordings take. An addition of Parley.',
      tag,
      answer: RecordingQuota,
    },
    async ({ projectId }, { recordingQuotas }) => show(await recordingQuotas.get(projectId)),
  ),

  operation(
    {
      route: 'PUT /recording_quota',
      operationId: 'setRecordingQuota',
      summary: 'Set how much room recordings may take',
      description:
        'Where it is used up no recording is started; those that run go on. At 80 % and at 100 % there is an event `recording.quota`. An addition of Parley.',
      tag,
      body: SetRecordingQuotaBody,
      answer: RecordingQuota,
    },
    async ({ caller, body: { quota_in_bytes = null, ...rest } }, { recordingQuotas }) => {
      nothingLeft(rest)
      return show(await recordingQuotas.set(caller.projectId, quota_in_bytes, actorOf(caller)))
    },
  ),
]
