import { nothingLeft } from '../../resources/bodies.ts'
import { RecordingRetention, SetRecordingRetentionBody } from '../../resources/recording-retention.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Room recordings'

/** `/recording_retention`: how long the project keeps recordings. */
export const recordingRetentionOperations: Operation[] = [
  operation(
    {
      route: 'GET /recording_retention',
      operationId: 'getRecordingRetention',
      summary: 'Read how long recordings are kept',
      description:
        'The rule of the project. A room or conference with `recording_retention_days` has a rule of its own. An addition of Parley.',
      tag,
      answer: RecordingRetention,
    },
    async ({ projectId }, { retention }) => ({ days: await retention.get(projectId) }),
  ),

  operation(
    {
      route: 'PUT /recording_retention',
      operationId: 'setRecordingRetention',
      summary: 'Set how long recordings are kept',
      description:
        'Recordings that are older are deleted soon after, those that are there already too. An addition of Parley.',
      tag,
      body: SetRecordingRetentionBody,
      answer: RecordingRetention,
    },
    async ({ caller, body: { days = null, ...rest } }, { retention }) => {
      nothingLeft(rest)
      return { days: await retention.set(caller.projectId, days, actorOf(caller)) }
    },
  ),
]
