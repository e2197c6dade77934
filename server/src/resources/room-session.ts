import { type Static, Type } from 'typebox'
import { answerFields } from './answers.ts'
import { Answer, OneOf, Uuid } from './building-blocks.ts'
import { anyText, boolean, integer, moment, number, oneOf, uuid } from './fields.ts'
import { pagingFields } from './paging.ts'
import { copiedToSession, picker, type RecordOf } from './records.ts'
import { roomFields } from './room-fields.ts'

export const SESSION_STATUSES = ['in-progress', 'completed'] as const

/** The fields that a session copies from its room when it starts. */
const takenOver = copiedToSession(roomFields)

/** Copies the fields for a session from the record of its room. */
export const takeOver = picker(takenOver)

/** The fields of a running or finished session. */
export const sessionFields = {
  id: uuid({ description: 'Id of the session.', shown: ['session', 'active_session'] }),
  room_id: uuid({
    default: null,
    description: 'The room it was started from.',
    shown: ['session', 'active_session'],
  }),
  ...takenOver,
  name: { ...takenOver.name, description: 'Name of the room.' },
  // The published type is any text.
  quality: { ...takenOver.quality, answer: Type.String() },
  start_time: moment({
    default: null,
    description: 'When the first member joined.',
    shown: ['session', 'active_session'],
  }),
  end_time: moment({
    default: null,
    description: 'When it ended; null while it is in progress.',
    examples: ['2030-01-31T09:42:14Z'],
    shown: ['session', 'active_session'],
  }),
  duration: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Seconds from start to end, or until now while it is in progress.',
      examples: [734],
      shown: ['session', 'active_session'],
    },
  ),
  status: oneOf(SESSION_STATUSES, {
    description: 'Whether it is still going on.',
    shown: ['session', 'active_session'],
    nullable: ['session', 'active_session'],
  }),
  preview_url: anyText({
    computed: true,
    default: null,
    description:
      'Preview video, while it is in progress and previews are enabled: four seconds without sound, 320x180, in MP4, made anew every 20 seconds. Whoever has the link may follow it; 404 until the first is complete and once the session has ended.',
    examples: [
      'https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8',
    ],
    shown: ['session', 'active_session'],
  }),
  hls_url: anyText({
    computed: true,
    default: null,
    description:
      'Playlist of low-latency HLS, while it is in progress and HLS is enabled. Whoever has the link may watch; 404 until there is something to watch. An addition of this server.',
    examples: [
      'https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/hls/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112/mN3xkUq8/index.m3u8',
    ],
    shown: ['session'],
  }),
  audio_video_sync: boolean({
    computed: true,
    default: null,
    description: 'Keep audio and video in step: `sync_audio_video` of the room.',
    shown: ['active_session'],
  }),
  locked: boolean({ default: false, description: 'Nobody else can join.', shown: ['session'] }),
  cost_in_dollars: number({
    computed: true,
    description: 'What its members cost, by the price list of the server.',
    examples: [0.024],
    shown: ['listed_session'],
  }),
  locked_cover: anyText({
    computed: true,
    default: null,
    description: 'Picture shown while it is locked.',
    examples: ['https://example.org/locked.png'],
    shown: ['listed_session'],
  }),
  alive_at: moment({
    description: 'Last time the server is known to have run it; the end time after a crash.',
  }),
  owner_node: anyText({
    default: null,
    description: 'Node of the cluster that runs it, or ran it; null for a server without a cluster.',
  }),
  owner_revision: integer(
    {},
    {
      default: null,
      description: "Revision of that node's claim on the room. Who has an older one may not write any more.",
    },
  ),
  created_at: moment({ description: 'When it was stored first.', shown: ['session'] }),
  updated_at: moment({ description: 'When it changed last.', shown: ['session'] }),
}

/** A session as it is stored. */
export type SessionRecord = RecordOf<typeof sessionFields>

/** The session in progress, inside of a room. */
export const ActiveSession = Answer(answerFields(sessionFields, 'active_session'), {
  title: 'ActiveSession',
  description: 'The session in progress.',
})
export type ActiveSession = Static<typeof ActiveSession>

const shown = answerFields(sessionFields, 'session')

export const RoomSession = Answer(shown, {
  title: 'RoomSession',
  description: 'A running or finished instance of a room.',
})
export type RoomSession = Static<typeof RoomSession>

export const ListedRoomSession = Answer(
  { ...shown, ...answerFields(sessionFields, 'listed_session') },
  { title: 'ListedRoomSession', description: 'A running or finished instance of a room.' },
)
export type ListedRoomSession = Static<typeof ListedRoomSession>

export const ListRoomSessionsQuery = Type.Object({
  room_id: Type.Optional(Uuid({ description: 'Only sessions started from this room.' })),
  room_name: Type.Optional(
    Type.String({
      maxLength: 200,
      examples: ['standup'],
      description: 'Only sessions of exactly this name.',
    }),
  ),
  room_name_matches: Type.Optional(
    Type.String({
      maxLength: 200,
      examples: ['stand'],
      description: 'Only sessions whose name contains this.',
    }),
  ),
  status: Type.Optional(OneOf(SESSION_STATUSES, { description: 'Only sessions in this status.' })),
  ...pagingFields,
})
export type ListRoomSessionsQuery = Static<typeof ListRoomSessionsQuery>

/** The fields of a member who is or was in a session. */
export const memberFields = {
  id: uuid({ description: 'Id of the member.', shown: ['member'] }),
  project_id: uuid({ description: 'The project that it belongs to.' }),
  room_session_id: uuid({ description: 'The session it was in.', shown: ['member'] }),
  name: anyText({
    description: 'Name of the user.',
    examples: ['Ada'],
    shown: ['member'],
    nullable: ['member'],
  }),
  type: oneOf(['member', 'screen', 'device', 'audience'], { description: 'What it is in the session.' }),
  parent_id: uuid({ default: null, description: 'The member that a screen share or device belongs to.' }),
  join_time: moment({ description: 'When it joined.', shown: ['member'] }),
  leave_time: moment({
    default: null,
    description: 'When it left; null while it is in.',
    examples: ['2030-01-31T09:42:14Z'],
    shown: ['member'],
  }),
  duration: integer(
    {},
    {
      computed: true,
      default: null,
      description: 'Seconds in the session, up to now while it is in.',
      examples: [734],
      shown: ['member'],
    },
  ),
  cost_in_dollars: number({
    computed: true,
    description: 'By the price list of the server.',
    examples: [0.024],
    shown: ['member'],
  }),
}

/** A member as it is stored. */
export type MemberRecord = RecordOf<typeof memberFields>

export const SessionMember = Answer(answerFields(memberFields, 'member'), {
  title: 'SessionMember',
  description: 'Somebody who is or was in a session.',
})
export type SessionMember = Static<typeof SessionMember>
