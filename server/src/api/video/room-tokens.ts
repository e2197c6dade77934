import { Refusal } from '../../errors/refusal.ts'
import { bodyReader, nothingLeft } from '../../resources/bodies.ts'
import {
  CreateRoomTokenBody,
  RevokeRoomTokenBody,
  RoomToken,
  type RoomTokenSettings,
  roomTokenFields,
} from '../../resources/room-token.ts'
import { withoutNulls } from '../../rooms/changes.ts'
import { ROOM_TOKEN_DEFAULTS, type RoomTokenGrant } from '../../rooms/room-token.ts'
import type { RoomTokenReference } from '../../rooms/room-tokens.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

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

/** @throws Refusal unless exactly one of the two is given */
function readReference({ token, id, ...rest }: RevokeRoomTokenBody): RoomTokenReference {
  nothingLeft(rest)
  if (token != null && id != null) {
    const message = 'Give either `token` or `id`.'
    throw new Refusal('incompatible_parameters', { attribute: 'id', message })
  }
  if (token != null) return { token }
  if (id != null) return { id }
  const message = 'Give the `token`, or its `id`.'
  throw new Refusal('missing_required_parameter', { attribute: 'token', message })
}

const readSettings = bodyReader(roomTokenFields, 'room_token')

function readGrant(projectId: string, body: CreateRoomTokenBody, now: number): Omit<RoomTokenGrant, 'id'> {
  const settings = { ...ROOM_TOKEN_DEFAULTS, ...withoutNulls<RoomTokenSettings>(readSettings(body)) }
  return {
    ...settings,
    project_id: projectId,
    room_name: body.room_name,
    user_name: settings.user_name || null,
    permissions: settings.join_as === 'audience' ? [] : settings.permissions,
    issued_at: now,
  }
}
