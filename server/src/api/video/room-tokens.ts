import { ParleyError } from '../../errors/parley-error.ts'
import { DEFAULT_PERMISSIONS } from '../../rooms/permissions.ts'
import type { RoomTokenGrant } from '../../rooms/room-token.ts'
import type { RoomTokenReference } from '../../rooms/room-tokens.ts'
import { CreateRoomTokenBody, RevokeRoomTokenBody, RoomToken } from '../../schemas/room-token.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { readMoment } from './room-settings.ts'

const tag = 'Room tokens'

/** `/room_tokens`: two operations. */
export const roomTokenOperations: Operation[] = [
  operation(
    {
      route: 'POST /room_tokens',
      operationId: 'createRoomToken',
      summary: 'Create a room token',
      description:
        'Makes a signed token with which one user joins one room. The room must exist on joining unless `auto_create_room` is true. The narrower of the time windows of token and room counts.',
      tag,
      body: CreateRoomTokenBody,
      answer: RoomToken,
    },
    async ({ projectId, body, host }, { roomTokens, clock }) => ({
      token: await roomTokens.create(readGrant(projectId, body, clock.now()), host),
    }),
  ),

  operation(
    {
      route: 'POST /room_tokens/revoke',
      operationId: 'revokeRoomToken',
      summary: 'Revoke a room token',
      description:
        'An addition of this server. Makes a token void before it expires: it lets nobody in any more, and who is in by it is put out at once. Revoking it again changes nothing.',
      tag,
      body: RevokeRoomTokenBody,
      errorCodes: {
        400: ['missing_required_parameter'],
        404: ['provided_id_is_unrecognized'],
        422: ['incompatible_parameters'],
      },
    },
    async ({ caller, body }, { roomTokens }) => {
      await roomTokens.revoke(caller.projectId, readReference(body), actorOf(caller))
    },
  ),
]

/** @throws ParleyError unless exactly one of the two is there */
function readReference({ token, id }: RevokeRoomTokenBody): RoomTokenReference {
  if (token != null && id != null) {
    const message = 'Give either `token` or `id`.'
    throw new ParleyError('invalid', { code: 'incompatible_parameters', attribute: 'id', message })
  }
  if (token != null) return { token }
  if (id != null) return { id }
  const message = 'Give the `token`, or its `id`.'
  throw new ParleyError('incomplete', { code: 'missing_required_parameter', attribute: 'token', message })
}

function readGrant(projectId: string, body: CreateRoomTokenBody, now: number): Omit<RoomTokenGrant, 'id'> {
  const joinAs = body.join_as ?? 'member'
  return {
    project_id: projectId,
    room_name: body.room_name,
    user_name: body.user_name || null,
    permissions: joinAs === 'audience' ? [] : (body.permissions ?? DEFAULT_PERMISSIONS),
    join_as: joinAs,
    media_allowed: body.media_allowed ?? 'all',
    auto_create_room: body.auto_create_room ?? true,
    join_from: readMoment(body.join_from),
    join_until: readMoment(body.join_until),
    remove_at: readMoment(body.remove_at),
    remove_after_seconds_elapsed: body.remove_after_seconds_elapsed ?? null,
    join_audio_muted: body.join_audio_muted ?? false,
    join_video_muted: body.join_video_muted ?? false,
    end_room_session_on_leave: body.end_room_session_on_leave ?? false,
    enable_room_previews: body.enable_room_previews ?? false,
    room_display_name: body.room_display_name ?? null,
    sync_audio_video: body.sync_audio_video ?? false,
    room_meta: body.room_meta ?? null,
    meta: body.meta ?? null,
    issued_at: now,
  }
}
