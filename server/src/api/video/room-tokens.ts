import { newId } from '../../ids.ts'
import { DEFAULT_PERMISSIONS } from '../../rooms/permissions.ts'
import { mintRoomToken, type RoomTokenGrant } from '../../rooms/room-token.ts'
import { errorAnswers } from '../../schemas/error.ts'
import { CreateRoomTokenBody, RoomToken } from '../../schemas/room-token.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { readMoment } from './room-settings.ts'
import type { VideoContext } from './video-context.ts'

/** `/room_tokens`: one operation. */
export function roomTokenRoutes(app: TypedApp, { clock, roomTokenKey, hostOf }: VideoContext): void {
  app.post(
    '/room_tokens',
    {
      schema: {
        operationId: 'createRoomToken',
        summary: 'Create a room token',
        description:
          'Makes a signed token with which one user joins one room. The room must exist on joining unless `auto_create_room` is true. The narrower of the time windows of token and room counts.',
        tags: ['Room tokens'],
        body: CreateRoomTokenBody,
        response: { 200: RoomToken, ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
    },
    async (request) => {
      const grant = readGrant(callerOf(request).projectId, request.body, clock.now())
      return { token: await mintRoomToken(grant, roomTokenKey, { host: hostOf(request) }) }
    },
  )
}

function readGrant(projectId: string, body: CreateRoomTokenBody, now: number): RoomTokenGrant {
  const joinAs = body.join_as ?? 'member'
  return {
    id: newId(),
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
