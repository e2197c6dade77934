import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'

export const SESSION_STATUSES = ['in-progress', 'completed'] as const

const Duration = Nullable(
  Type.Integer({
    examples: [734],
    description: 'Seconds from start to end, or until now while it is in progress.',
  }),
)

/** What a session and the active session of a room both show. */
const shared = {
  id: Uuid({ description: 'Id of the session.' }),
  room_id: Nullable(Uuid({ description: 'The room it was started from.' })),
  name: Nullable(Type.String({ examples: ['standup'], description: 'Name of the room.' })),
  display_name: Nullable(Type.String({ examples: ['Daily stand-up'], description: 'Title for people.' })),
  join_from: Nullable(Timestamp({ description: 'Nobody could join before.' })),
  join_until: Nullable(
    Timestamp({ examples: ['2030-01-31T10:30:00Z'], description: 'Nobody could join after.' }),
  ),
  remove_at: Nullable(
    Timestamp({ examples: ['2030-01-31T11:00:00Z'], description: 'Everybody is removed at this time.' }),
  ),
  remove_after_seconds_elapsed: Nullable(
    Type.Integer({ examples: [3600], description: 'Each member is removed after so many seconds.' }),
  ),
  layout: Nullable(Type.String({ examples: ['grid-responsive'], description: 'Layout it started with.' })),
  max_members: Nullable(
    Type.Integer({ examples: [20], description: 'Members at one time, audience aside.' }),
  ),
  fps: Nullable(
    Type.Integer({ examples: [20], description: 'Frames per second of the composed picture: 20 or 30.' }),
  ),
  quality: Nullable(
    Type.String({ examples: ['720p'], description: 'Height of the composed picture: 720p or 1080p.' }),
  ),
  start_time: Nullable(Timestamp({ description: 'When the first member joined.' })),
  end_time: Nullable(
    Timestamp({
      examples: ['2030-01-31T09:42:14Z'],
      description: 'When it ended; null while it is in progress.',
    }),
  ),
  duration: Duration,
  status: Nullable(OneOf(SESSION_STATUSES, { description: 'Whether it is still going on.' })),
  record_on_start: Type.Boolean({ description: 'A recording was started with it.' }),
  preview_url: Nullable(
    Type.String({
      examples: [
        'https://meet.example.org/media/5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42/previews/9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112.mp4?signature=mN3xkUq8',
      ],
      description:
        'Preview video, while it is in progress and previews are enabled: four seconds without sound, 320x180, in MP4, made anew every 20 seconds. Whoever has the link may follow it; 404 until the first is complete and once the session has ended.',
    }),
  ),
}

/** The session in progress, inside of a room. */
export const ActiveSession = Answer(
  {
    ...shared,
    enable_room_previews: Nullable(Type.Boolean({ description: 'A preview video is made.' })),
    audio_video_sync: Nullable(Type.Boolean({ description: 'Audio and video are kept in step.' })),
  },
  { title: 'ActiveSession', description: 'The session in progress.' },
)
export type ActiveSession = Static<typeof ActiveSession>

const sessionFields = {
  ...shared,
  tone_on_entry_and_exit: Type.Boolean({ description: 'A tone is played when somebody enters or leaves.' }),
  room_join_video_off: Type.Boolean({ description: 'Members join with their video off (room).' }),
  user_join_video_off: Type.Boolean({ description: 'Members join with their video off (user).' }),
  locked: Type.Boolean({ description: 'Nobody else can join.' }),
  created_at: Timestamp({ description: 'When it was stored first.' }),
  updated_at: Timestamp({ description: 'When it changed last.' }),
  prioritize_handraise: Nullable(Type.Boolean({ description: 'Raised hands come first in the layout.' })),
  sync_audio_video: Nullable(Type.Boolean({ description: 'Audio and video are kept in step.' })),
}

export const RoomSession = Answer(sessionFields, {
  title: 'RoomSession',
  description: 'A running or finished instance of a room.',
})
export type RoomSession = Static<typeof RoomSession>

export const ListedRoomSession = Answer(
  {
    ...sessionFields,
    cost_in_dollars: Type.Number({
      examples: [0.024],
      description: 'What its members cost, by the price list of the server.',
    }),
    enable_room_previews: Type.Boolean({ description: 'A preview video is made.' }),
    locked_cover: Nullable(
      Type.String({
        examples: ['https://example.org/locked.png'],
        description: 'Picture shown while it is locked.',
      }),
    ),
  },
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

export const SessionMember = Answer(
  {
    id: Uuid({ description: 'Id of the member.' }),
    room_session_id: Uuid({ description: 'The session it was in.' }),
    name: Nullable(Type.String({ examples: ['Ada'], description: 'Name of the user.' })),
    join_time: Timestamp({ description: 'When it joined.' }),
    leave_time: Nullable(
      Timestamp({ examples: ['2030-01-31T09:42:14Z'], description: 'When it left; null while it is in.' }),
    ),
    duration: Nullable(
      Type.Integer({ examples: [734], description: 'Seconds in the session, up to now while it is in.' }),
    ),
    cost_in_dollars: Type.Number({ examples: [0.024], description: 'By the price list of the server.' }),
  },
  { title: 'SessionMember', description: 'Somebody who is or was in a session.' },
)
export type SessionMember = Static<typeof SessionMember>
