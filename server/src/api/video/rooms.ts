import { isUuid } from '../../ids.ts'
import type { RoomWithSession } from '../../rooms/rooms.ts'
import { IdParams } from '../../schemas/building-blocks.ts'
import { Page } from '../../schemas/paging.ts'
import {
  CreateRoomBody,
  ListRoomsQuery,
  Room,
  RoomIdOrNameParams,
  RoomQuery,
  UpdateRoomBody,
} from '../../schemas/room.ts'
import type { Services } from '../../services.ts'
import type { RoomRecord, SessionRecord } from '../../storage/records.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { formatMoment, formatMomentOrNull, parseMoment } from '../conventions/dates.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { readRoomSettings } from './room-settings.ts'
import { showActiveSession, showingFor } from './show-session.ts'

const tag = 'Rooms'

/** `/rooms`: five operations; those on streams are with the streams. */
export const roomOperations: Operation[] = [
  operation(
    {
      route: 'POST /rooms',
      operationId: 'createRoom',
      summary: 'Create a room',
      description:
        'Makes a room. Two rooms, or a room and a conference, cannot have one name; of two requests that race for it, one gets 422.',
      tag,
      errorCodes: { 422: ['not_unique_within_project'] },
      body: CreateRoomBody,
      answer: Room,
    },
    async (request, services) => {
      const { name, ...settings } = request.body
      const room = await services.rooms.create(request.projectId, name, readRoomSettings(settings))
      return showWithSession(request, services, room)
    },
  ),

  operation(
    {
      route: 'GET /rooms',
      operationId: 'listRooms',
      summary: 'List rooms',
      description: 'All rooms of the project, newest first. Conferences are not among them.',
      tag,
      query: ListRoomsQuery,
      answer: Page(Room),
    },
    async (request, services) => {
      const { starts_after, ends_before, include_active_session } = request.query
      const filter = {
        startsAfter: starts_after === undefined ? undefined : parseMoment(starts_after),
        endsBefore: ends_before === undefined ? undefined : parseMoment(ends_before),
      }
      const page = await services.rooms.list(request.projectId, filter, request.listRequest)
      const active: ReadonlyMap<string, SessionRecord> = include_active_session
        ? await services.rooms.activeSessions(request.projectId, page.rows)
        : new Map()
      const show = (room: RoomRecord) =>
        include_active_session
          ? showWithSession(request, services, { room, activeSession: active.get(room.id) ?? null })
          : showRoom(room)
      return request.answerPage(page, show, (room) => room.created_at)
    },
  ),

  operation(
    {
      route: 'GET /rooms/:id',
      operationId: 'getRoom',
      summary: 'Get a room',
      description: 'By its id, or by its name: what is no UUID is a name.',
      tag,
      errorCodes: { 404: ['does_not_exist'] },
      params: RoomIdOrNameParams,
      query: RoomQuery,
      answer: Room,
    },
    async (request, services) => {
      const { projectId, params, query } = request
      const { rooms } = services
      const room = isUuid(params.id)
        ? await rooms.get(projectId, params.id.toLowerCase())
        : await rooms.getByName(projectId, params.id)
      if (!query.include_active_session) return showRoom(room)
      const active = await rooms.activeSessions(projectId, [room])
      return showWithSession(request, services, { room, activeSession: active.get(room.id) ?? null })
    },
  ),

  operation(
    {
      route: 'PUT /rooms/:id',
      operationId: 'updateRoom',
      summary: 'Update a room',
      description:
        'Fields that are absent keep their values; null resets to the default. A session in progress keeps what it started with.',
      tag,
      params: IdParams,
      body: UpdateRoomBody,
      answer: Room,
    },
    async (request, services) => {
      const { projectId, params, body } = request
      const { name, ...settings } = body
      const room = await services.rooms.update(projectId, params.id, readRoomSettings(settings), name)
      return showWithSession(request, services, room)
    },
  ),

  operation(
    {
      route: 'DELETE /rooms/:id',
      operationId: 'deleteRoom',
      summary: 'Delete a room',
      description: 'A session in progress ends. Sessions, recordings and events of the room stay readable.',
      tag,
      params: IdParams,
    },
    ({ projectId, params }, { rooms }) => rooms.delete(projectId, params.id),
  ),
]

const showWithSession = (request: ApiRequest, services: Services, { room, activeSession }: RoomWithSession) =>
  showRoom(room, activeSession && showActiveSession(activeSession, showingFor(request, services)))

/** @param activeSession left out of the answer when undefined */
function showRoom(room: RoomRecord, activeSession?: Room['active_session']): Room {
  return {
    id: room.id,
    name: room.name,
    display_name: room.display_name,
    description: room.description,
    max_members: room.max_members,
    quality: room.quality,
    fps: room.fps,
    join_from: formatMomentOrNull(room.join_from),
    join_until: formatMomentOrNull(room.join_until),
    remove_at: formatMomentOrNull(room.remove_at),
    remove_after_seconds_elapsed: room.remove_after_seconds_elapsed,
    layout: room.layout,
    record_on_start: room.record_on_start,
    tone_on_entry_and_exit: room.tone_on_entry_and_exit,
    room_join_video_off: room.room_join_video_off,
    user_join_video_off: room.user_join_video_off,
    enable_room_previews: room.enable_room_previews,
    sync_audio_video: room.sync_audio_video,
    meta: room.meta,
    prioritize_handraise: room.prioritize_handraise,
    created_at: formatMoment(room.created_at),
    updated_at: formatMoment(room.updated_at),
    ...(activeSession !== undefined && { active_session: activeSession }),
  }
}
