import { nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import {
  CreateRecordingShareBody,
  FreshRecordingShare,
  type RecordingShare,
  RecordingShareParams,
  RecordingShares,
} from '../../resources/recording-share.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Room recordings'

const show = (share: { id: string; expires_at: number; created_at: number }): RecordingShare => ({
  id: share.id,
  expires_at: formatMoment(share.expires_at),
  created_at: formatMoment(share.created_at),
})

/** `/room_recordings/{id}/shares`: links by which anybody plays a recording. */
export const recordingShareOperations: Operation[] = [
  operation(
    {
      route: 'GET /room_recordings/:id/shares',
      operationId: 'listRecordingShares',
      summary: 'List links of a recording',
      description: 'Those that have not expired. An addition of Parley.',
      tag,
      params: IdParams,
      answer: RecordingShares,
    },
    async ({ projectId, params }, { recordingShares }) => ({
      data: (await recordingShares.list(projectId, params.id)).map(show),
    }),
  ),

  operation(
    {
      route: 'POST /room_recordings/:id/shares',
      operationId: 'createRecordingShare',
      summary: 'Share a recording',
      description:
        'Makes a link that plays the recording without credentials, until it expires, is revoked, or the recording is deleted. An addition of Parley.',
      tag,
      params: IdParams,
      body: CreateRecordingShareBody,
      answer: FreshRecordingShare,
      status: 201,
      errorCodes: { 422: ['invalid_state'] },
      hasSecrets: true,
    },
    async ({ projectId, params, caller, origin, body }, { recordingShares }) => {
      const { expires_in_seconds, ...rest } = body
      nothingLeft(rest)
      const actor = actorOf(caller)
      const { share, path } = await recordingShares.create(projectId, params.id, expires_in_seconds, actor)
      return { ...show(share), uri: origin + path }
    },
  ),

  operation(
    {
      route: 'DELETE /room_recordings/:id/shares/:share_id',
      operationId: 'revokeRecordingShare',
      summary: 'Revoke a link of a recording',
      description: 'It stops working at once. An addition of Parley.',
      tag,
      params: RecordingShareParams,
    },
    ({ projectId, params, caller }, { recordingShares }) =>
      recordingShares.revoke(projectId, params.id, params.share_id, actorOf(caller)),
  ),
]
