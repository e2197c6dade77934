import type { FastifyRequest } from 'fastify'
import { isUuid } from '../../ids.ts'
import { shower } from '../../resources/answers.ts'
import { IdParams, NoContent } from '../../resources/building-blocks.ts'
import { parseMoment } from '../../resources/dates.ts'
import { errorAnswers } from '../../resources/error.ts'
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
import type { RoomRecord, SessionRecord } from '../../storage/records.ts'
import { callerOf } from '../conventions/authentication.ts'
import { noContent } from '../conventions/no-content.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { readRoomSettings } from './room-settings.ts'
import { showActiveSession, showingFor } from './show-session.ts'
import type { VideoContext } from './video-context.ts'

/** `/rooms`: six operations. */
export function roomRoutes(app: TypedApp, context: VideoContext): void {
  const { rooms, paging } = context
  const showWithSession = (request: FastifyRequest, { room, activeSession }: RoomWithSession) =>
    showRoom(room, activeSession && showActiveSession(activeSession, showingFor(request, context)))

  app.post(
    '/rooms',
    {
      schema: {
        operationId: 'createRoom',
        summary: 'Create a room',
        description:
          'Makes a room. Two rooms, or a room and a conference, cannot have one name; of two requests that race for it, one gets 422.',
        tags: ['Rooms'],
        errorCodes: { 422: ['not_unique_within_project'] },
        body: CreateRoomBody,
        response: { 200: Room, ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { name, ...settings } = request.body
      return showWithSession(request, await rooms.create(projectId, name, readRoomSettings(settings)))
    },
  )

  app.get(
    '/rooms',
    {
      schema: {
        operationId: 'listRooms',
        summary: 'List rooms',
        description: 'All rooms of the project, newest first. Conferences are not among them.',
        tags: ['Rooms'],
        querystring: ListRoomsQuery,
        response: { 200: Page(Room), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { starts_after, ends_before, include_active_session } = request.query
      const filter = {
        startsAfter: starts_after === undefined ? undefined : parseMoment(starts_after),
        endsBefore: ends_before === undefined ? undefined : parseMoment(ends_before),
      }
      const page = await rooms.list(projectId, filter, paging.listRequest(request))
      const active: ReadonlyMap<string, SessionRecord> = include_active_session
        ? await rooms.activeSessions(projectId, page.rows)
        : new Map()
      const show = (room: RoomRecord) =>
        include_active_session
          ? showWithSession(request, { room, activeSession: active.get(room.id) ?? null })
          : showRoom(room)
      return paging.answer(request, page, show, (room) => room.created_at)
    },
  )

  app.get(
    '/rooms/:id',
    {
      schema: {
        operationId: 'getRoom',
        summary: 'Get a room',
        description: 'By its id, or by its name: what is no UUID is a name.',
        tags: ['Rooms'],
        errorCodes: { 404: ['does_not_exist'] },
        params: RoomIdOrNameParams,
        querystring: RoomQuery,
        response: { 200: Room, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { id } = request.params
      const room = isUuid(id)
        ? await rooms.get(projectId, id.toLowerCase())
        : await rooms.getByName(projectId, id)
      if (!request.query.include_active_session) return showRoom(room)
      const active = await rooms.activeSessions(projectId, [room])
      return showWithSession(request, { room, activeSession: active.get(room.id) ?? null })
    },
  )

  app.put(
    '/rooms/:id',
    {
      schema: {
        operationId: 'updateRoom',
        summary: 'Update a room',
        description:
          'Fields that are absent keep their values; null resets to the default. A session in progress keeps what it started with.',
        tags: ['Rooms'],
        params: IdParams,
        body: UpdateRoomBody,
        response: { 200: Room, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { name, ...settings } = request.body
      const id = request.params.id.toLowerCase()
      return showWithSession(request, await rooms.update(projectId, id, readRoomSettings(settings), name))
    },
  )

  app.delete(
    '/rooms/:id',
    {
      schema: {
        operationId: 'deleteRoom',
        summary: 'Delete a room',
        description: 'A session in progress ends. Sessions, recordings and events of the room stay readable.',
        tags: ['Rooms'],
        params: IdParams,
        response: { 204: NoContent, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request, reply) => {
      await rooms.delete(callerOf(request).projectId, request.params.id.toLowerCase())
      return noContent(reply)
    },
  )
}

const showFields = shower(roomFields, 'room')

/** @param activeSession left out of the answer when undefined */
function showRoom(room: RoomRecord, activeSession?: Room['active_session']): Room {
  const shown: Room = showFields(room)
  if (activeSession !== undefined) shown.active_session = activeSession
  return shown
}
