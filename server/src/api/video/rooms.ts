import { isUuid } from '../../ids.ts'
import { shower } from '../../resources/answers.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { parseMoment } from '../../resources/dates.ts'
import { Page } from '../../resources/paging.ts'
import {
  CreateRoomBody,
  ListRoomsQuery,
  Room,
  RoomIdOrNameParams,
  RoomQuery,
  UpdateRoomBody,
} from '../../resources/room.ts'
import { roomFields } from '../../resources/room-fields.ts'
import type { RoomWithSession } from '../../rooms/rooms.ts'
import type { Services } from '../../services.ts'
import type { RoomRecord, SessionRecord } from '../../storage/records.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
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

const showFields = shower(roomFields, 'room')

/** @param activeSession omitted from the answer when undefined */
function showRoom(room: RoomRecord, activeSession?: Room['active_session']): Room {
  const shown: Room = showFields(room)
  if (activeSession !== undefined) shown.active_session = activeSession
  return shown
}
