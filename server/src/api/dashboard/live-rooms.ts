import {
  Announced,
  AnnouncementBody,
  LiveRoom,
  LiveRoomChanges,
  LiveRooms,
  LiveStreamBody,
  LiveStreamResult,
  MuteBody,
} from '../../resources/live-room.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { AnyIdParams, pathId } from '../conventions/path-id.ts'

const tag = 'Dashboard'

/** The running room that a request acts on, and who acts. */
const actOf = ({
  projectId,
  params,
  caller,
}: Pick<ApiRequest<{ id: string }>, 'projectId' | 'params' | 'caller'>) => ({
  projectId,
  sessionId: pathId(params),
  actor: actorOf(caller),
})

/** `/live_rooms`: rooms with a session in progress, and what can be done to them. */
export const liveRoomOperations: Operation[] = [
  operation(
    {
      route: 'GET /live_rooms',
      operationId: 'listLiveRooms',
      summary: 'List running rooms',
      description:
        'The newest running rooms, with the people in them. The event stream says when to read them again. An addition of Parley.',
      tag,
      answer: LiveRooms,
      hasSecrets: true,
    },
    async ({ projectId, origin }, { liveRooms }) => liveRooms.list(projectId, origin),
  ),

  operation(
    {
      route: 'GET /live_rooms/:id',
      operationId: 'getLiveRoom',
      summary: 'Get a running room',
      description: 'One running room, by the id of its session. An addition of Parley.',
      tag,
      params: AnyIdParams,
      answer: LiveRoom,
      hasSecrets: true,
    },
    async ({ projectId, params, origin }, { liveRooms }) => liveRooms.get(projectId, pathId(params), origin),
  ),

  operation(
    {
      route: 'PUT /live_rooms/:id',
      operationId: 'updateLiveRoom',
      summary: 'Lock a running room, or arrange its picture',
      description: 'Counts until the session ends. An addition of Parley.',
      tag,
      params: AnyIdParams,
      body: LiveRoomChanges,
      answer: LiveRoom,
      hasSecrets: true,
    },
    async (request, services) => {
      const { locked, layout } = request.body
      const act = actOf(request)
      if (locked !== undefined) await services.roomActs.setLocked(act, locked)
      if (layout !== undefined) await services.roomActs.setLayout(act, layout)
      return services.liveRooms.get(act.projectId, act.sessionId, request.origin)
    },
  ),

  operation(
    {
      route: 'DELETE /live_rooms/:id',
      operationId: 'endLiveRoom',
      summary: 'End a session',
      description: 'Ends it for everybody. The room stays. An addition of Parley.',
      tag,
      params: AnyIdParams,
    },
    async (request, { roomActs }) => roomActs.end(actOf(request)),
  ),

  operation(
    {
      route: 'POST /live_rooms/:id/mute',
      operationId: 'muteInLiveRoom',
      summary: 'Mute a member, or everybody',
      description: 'They can unmute themselves again, if they may. An addition of Parley.',
      tag,
      params: AnyIdParams,
      body: MuteBody,
    },
    async (request, { roomActs }) => roomActs.mute(actOf(request), request.body.member_id ?? null),
  ),

  operation(
    {
      route: 'POST /live_rooms/:id/messages',
      operationId: 'writeToLiveRoom',
      summary: 'Write into the chat of a running room',
      description: 'Everybody in the room reads it, under the name of the user. An addition of Parley.',
      tag,
      params: AnyIdParams,
      body: AnnouncementBody,
      answer: Announced,
      status: 201,
    },
    async (request, { roomActs }) => {
      const { text } = request.body
      return { text, from: await roomActs.say(actOf(request), text) }
    },
  ),

  operation(
    {
      route: 'POST /live_rooms/:id/recordings',
      operationId: 'recordLiveRoom',
      summary: 'Record a running room',
      description: 'Answered when the first frame is in the file. An addition of Parley.',
      tag,
      params: AnyIdParams,
      errorCodes: { 422: ['invalid_state'] },
    },
    async (request, { roomActs }) => roomActs.record(actOf(request)),
  ),

  operation(
    {
      route: 'DELETE /live_rooms/:id/recordings',
      operationId: 'stopRecordingLiveRoom',
      summary: 'Stop the recording of a running room',
      description: 'No error where nothing is recorded. An addition of Parley.',
      tag,
      params: AnyIdParams,
    },
    async (request, { roomActs }) => roomActs.stopRecording(actOf(request)),
  ),

  operation(
    {
      route: 'POST /live_rooms/:id/streams',
      operationId: 'streamLiveRoom',
      summary: 'Stream a running room',
      description:
        'Until the session ends. Answered when the destination has taken it, or has not. An addition of Parley.',
      tag,
      params: AnyIdParams,
      body: LiveStreamBody,
      answer: LiveStreamResult,
      errorCodes: { 422: ['url_failed_to_parse', 'url_is_unsafe', 'exceeds_platform_stream_limit'] },
    },
    async (request, { roomActs }) => ({ outcome: await roomActs.stream(actOf(request), request.body.url) }),
  ),

  operation(
    {
      route: 'DELETE /live_rooms/:id/streams',
      operationId: 'stopStreamsOfLiveRoom',
      summary: 'Stop all streams of a running room',
      description: 'Streams of the room start again with its next session. An addition of Parley.',
      tag,
      params: AnyIdParams,
    },
    async (request, { roomActs }) => roomActs.stopStreams(actOf(request)),
  ),
]
