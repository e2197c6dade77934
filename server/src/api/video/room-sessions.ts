import { shower } from '../../resources/answers.ts'
import { IdParams } from '../../resources/building-blocks.ts'
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
import { type Operation, operation } from '../conventions/operation.ts'
import { showEvent } from './show-event.ts'
import { showRecording } from './show-recording.ts'
import { durationSeconds, showingFor, showListedSession, showSession } from './show-session.ts'

const tag = 'Room sessions'

/** `/room_sessions`: five operations. */
export const roomSessionOperations: Operation[] = [
  operation(
    {
      route: 'GET /room_sessions',
      operationId: 'listRoomSessions',
      summary: 'List room sessions',
      description: 'Running and finished sessions of the project, newest first.',
      tag,
      query: ListRoomSessionsQuery,
      answer: Page(ListedRoomSession),
    },
    async (request, services) => {
      const { room_id: roomId, room_name: roomName, room_name_matches, status } = request.query
      const filter = { roomId, roomName, roomNameMatches: room_name_matches, status }
      const page = await services.roomSessions.list(request.projectId, filter, request.listRequest)
      const showing = showingFor(request, services)
      return request.answerPage(
        page,
        (session) => showListedSession(session, session.costInDollars, showing),
        (session) => session.created_at,
      )
    },
  ),

  operation(
    {
      route: 'GET /room_sessions/:id',
      operationId: 'getRoomSession',
      summary: 'Get a room session',
      description: 'One session, running or finished.',
      tag,
      params: IdParams,
      answer: RoomSession,
    },
    async (request, services) => {
      const session = await services.roomSessions.get(request.projectId, request.params.id)
      return showSession(session, showingFor(request, services))
    },
  ),

  operation(
    {
      route: 'GET /room_sessions/:id/members',
      operationId: 'listRoomSessionMembers',
      summary: 'List members of a session',
      description: 'Everybody who is or was in it, in the order of joining.',
      tag,
      params: IdParams,
      query: PagingQuery,
      answer: Page(SessionMember),
    },
    async (request, { roomSessions, clock }) => {
      const { projectId, params, listRequest } = request
      const page = await roomSessions.listMembers(projectId, params.id, listRequest)
      const now = clock.now()
      return request.answerPage(
        page,
        (member) => showMember(member, now),
        (member) => member.join_time,
      )
    },
  ),

  operation(
    {
      route: 'GET /room_sessions/:id/events',
      operationId: 'listRoomSessionEvents',
      summary: 'List events of a session',
      description: 'What happened in it, oldest first, also while it runs.',
      tag,
      params: IdParams,
      query: PagingQuery,
      answer: Page(Event),
    },
    async (request, { roomSessions }) => {
      const { projectId, params, listRequest } = request
      const page = await roomSessions.listEvents(projectId, params.id, listRequest)
      return request.answerPage(page, showEvent, (event) => event.created_at)
    },
  ),

  operation(
    {
      route: 'GET /room_sessions/:id/recordings',
      operationId: 'listRoomSessionRecordings',
      summary: 'List recordings of a session',
      description: 'The recordings made in it, newest first.',
      tag,
      params: IdParams,
      query: ListRecordingsQuery,
      answer: Page(RoomRecording),
      hasSecrets: true,
    },
    async (request, services) => {
      const { projectId, params, query, listRequest } = request
      const page = await services.recordings.listOfSession(projectId, params.id, listRequest)
      const show = showRecording(services, request, query.media_ttl)
      return request.answerPage(page, show, (recording) => recording.created_at)
    },
  ),
]

const showFields = shower(memberFields, 'member')

const showMember = (member: WithCost<MemberRecord>, now: number): SessionMember =>
  showFields(member, {
    duration: durationSeconds(member.join_time, member.leave_time, now),
    cost_in_dollars: member.costInDollars,
  })
