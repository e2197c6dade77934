import { shower } from '../../resources/answers.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Event } from '../../resources/event.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { ListRecordingsQuery, RoomRecording } from '../../resources/room-recording.ts'
import {
  ListedRoomSession,
  ListRoomSessionsQuery,
  memberFields,
  RoomSession,
  SessionMember,
} from '../../resources/room-session.ts'
import type { WithCost } from '../../rooms/room-sessions.ts'
import type { MemberRecord } from '../../storage/records.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { showEvent } from './show-event.ts'
import { showRecording } from './show-recording.ts'
import { durationSeconds, showingFor, showListedSession, showSession } from './show-session.ts'
import type { VideoContext } from './video-context.ts'

/** `/room_sessions`: five operations. */
export function roomSessionRoutes(app: TypedApp, context: VideoContext): void {
  const { roomSessions, recordings, paging, clock } = context
  const preValidation = paging.restoreParameters

  app.get(
    '/room_sessions',
    {
      schema: {
        operationId: 'listRoomSessions',
        summary: 'List room sessions',
        description: 'Running and finished sessions of the project, newest first.',
        tags: ['Room sessions'],
        querystring: ListRoomSessionsQuery,
        response: { 200: Page(ListedRoomSession), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { room_id, room_name, room_name_matches, status } = request.query
      const filter = {
        roomId: room_id?.toLowerCase(),
        roomName: room_name,
        roomNameMatches: room_name_matches,
        status,
      }
      const page = await roomSessions.list(projectId, filter, paging.listRequest(request))
      const showing = showingFor(request, context)
      return paging.answer(
        request,
        page,
        (session) => showListedSession(session, session.costInDollars, showing),
        (session) => session.created_at,
      )
    },
  )

  app.get(
    '/room_sessions/:id',
    {
      schema: {
        operationId: 'getRoomSession',
        summary: 'Get a room session',
        description: 'One session, running or finished.',
        tags: ['Room sessions'],
        params: IdParams,
        response: { 200: RoomSession, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const session = await roomSessions.get(projectId, request.params.id.toLowerCase())
      return showSession(session, showingFor(request, context))
    },
  )

  app.get(
    '/room_sessions/:id/members',
    {
      schema: {
        operationId: 'listRoomSessionMembers',
        summary: 'List members of a session',
        description: 'Everybody who is or was in it, in the order of joining.',
        tags: ['Room sessions'],
        params: IdParams,
        querystring: PagingQuery,
        response: { 200: Page(SessionMember), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const page = await roomSessions.listMembers(projectId, id, paging.listRequest(request))
      const now = clock.now()
      return paging.answer(
        request,
        page,
        (member) => showMember(member, now),
        (member) => member.join_time,
      )
    },
  )

  app.get(
    '/room_sessions/:id/events',
    {
      schema: {
        operationId: 'listRoomSessionEvents',
        summary: 'List events of a session',
        description: 'What happened in it, oldest first, also while it runs.',
        tags: ['Room sessions'],
        params: IdParams,
        querystring: PagingQuery,
        response: { 200: Page(Event), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const page = await roomSessions.listEvents(projectId, id, paging.listRequest(request))
      return paging.answer(request, page, showEvent, (event) => event.created_at)
    },
  )

  app.get(
    '/room_sessions/:id/recordings',
    {
      schema: {
        operationId: 'listRoomSessionRecordings',
        summary: 'List recordings of a session',
        description: 'The recordings made in it, newest first.',
        tags: ['Room sessions'],
        params: IdParams,
        querystring: ListRecordingsQuery,
        response: { 200: Page(RoomRecording), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const page = await recordings.listOfSession(projectId, id, paging.listRequest(request))
      const show = showRecording(context, request, request.query.media_ttl)
      return paging.answer(request, page, show, (recording) => recording.created_at)
    },
  )
}

const showFields = shower(memberFields, 'member')

const showMember = (member: WithCost<MemberRecord>, now: number): SessionMember =>
  showFields(member, {
    duration: durationSeconds(member.join_time, member.leave_time, now),
    cost_in_dollars: member.costInDollars,
  })
