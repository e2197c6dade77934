import { type Static, Type } from 'typebox'
import { REST_LAYOUTS } from '../rooms/layouts/layout-names.ts'
import { Meta, Moment, Name, Nullable, OneOf, Optional, Text, Timestamp, Uuid } from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { ActiveSession } from './room-session.ts'

export const QUALITIES = ['720p', '1080p'] as const

/** What a room may be given, besides its name. */
export const roomSettings = {
  display_name: Optional(
    Text({
      maxLength: 200,
      examples: ['Daily stand-up'],
      description: 'Title for people; the name unless given.',
    }),
  ),
  description: Optional(
    Text({
      maxLength: 3000,
      examples: ['Fifteen minutes, every morning.'],
      description: 'What the room is for.',
    }),
  ),
  max_members: Optional(
    Type.Integer({
      minimum: 1,
      maximum: 300,
      default: 20,
      examples: [20],
      description: 'Members at one time, audience aside.',
    }),
  ),
  quality: Optional(OneOf(QUALITIES, { default: '720p', description: 'Height of the composed picture.' })),
  join_from: Optional(Moment({ description: 'Nobody can join before.' })),
  join_until: Optional(
    Moment({ examples: ['2030-01-31T10:30:00Z'], description: 'Nobody can join after; who is in stays.' }),
  ),
  remove_at: Optional(
    Moment({ examples: ['2030-01-31T11:00:00Z'], description: 'Everybody is removed at this time.' }),
  ),
  remove_after_seconds_elapsed: Optional(
    Type.Integer({
      minimum: 1,
      maximum: 200_000,
      examples: [3600],
      description: 'Each member is removed after so many seconds.',
    }),
  ),
  layout: Optional(
    OneOf(REST_LAYOUTS, { default: 'grid-responsive', description: 'Layout that sessions start with.' }),
  ),
  record_on_start: Optional(
    Type.Boolean({ default: false, description: 'Start a recording when a session starts.' }),
  ),
  tone_on_entry_and_exit: Optional(
    Type.Boolean({ default: false, description: 'Play a tone when somebody enters or leaves.' }),
  ),
  room_join_video_off: Optional(
    Type.Boolean({
      default: false,
      description: 'Members join with their video off, by setting of the room.',
    }),
  ),
  user_join_video_off: Optional(
    Type.Boolean({
      default: false,
      description: 'Members join with their video off, by setting of the user.',
    }),
  ),
  enable_room_previews: Optional(
    Type.Boolean({ default: false, description: 'Make a small preview video of what goes on in the room.' }),
  ),
  sync_audio_video: Optional(
    Type.Boolean({ description: 'Keep audio and video in step, at the price of some delay.' }),
  ),
  prioritize_handraise: Optional(
    Type.Boolean({ default: false, description: 'Members who raise their hand come first in the layout.' }),
  ),
  meta: Optional(
    Meta({ examples: [{ customer: 42 }], description: 'Anything you want to keep with the room.' }),
  ),
}

/** A `join_until` before `join_from` is refused by this mark, together with whatever else is wrong. */
export const joinWindow = { 'x-join-window': true }

export const CreateRoomBody = Type.Object(
  { name: Name({ examples: ['standup'], description: 'Unique within the project.' }), ...roomSettings },
  {
    title: 'CreateRoom',
    description: 'A new room.',
    examples: [{ name: 'standup', display_name: 'Daily stand-up', max_members: 12, record_on_start: true }],
    ...joinWindow,
  },
)
export type CreateRoomBody = Static<typeof CreateRoomBody>

export const UpdateRoomBody = Type.Object(
  {
    name: Type.Optional(
      Type.String({ examples: ['standup'], description: 'Accepted only if it is the present name.' }),
    ),
    ...roomSettings,
  },
  {
    title: 'UpdateRoom',
    description: 'Changes to a room. A field that is absent keeps its value; null resets it to its default.',
    examples: [{ display_name: 'Weekly stand-up', max_members: 30, description: null }],
    ...joinWindow,
  },
)
export type UpdateRoomBody = Static<typeof UpdateRoomBody>

export const includeActiveSession = Type.Boolean({
  default: false,
  description: 'Add `active_session`: the session in progress, or null.',
})

export const RoomQuery = Type.Object({ include_active_session: includeActiveSession })

/** Path parameter where a name may stand in place of an id. */
export const RoomIdOrNameParams = Type.Object({
  id: Type.String({ examples: ['standup'], description: 'Id of the room, or its name.' }),
})

export const ListRoomsQuery = Type.Object({
  include_active_session: includeActiveSession,
  starts_after: Type.Optional(Moment({ description: 'Only rooms whose `join_from` is then or later.' })),
  ends_before: Type.Optional(Moment({ description: 'Only rooms whose `join_until` is then or earlier.' })),
  ...pagingFields,
})
export type ListRoomsQuery = Static<typeof ListRoomsQuery>

export const Room = Type.Object(
  {
    id: Uuid({ description: 'Id of the room.' }),
    name: Type.String({ examples: ['standup'], description: 'Unique within the project.' }),
    display_name: Nullable(Type.String({ examples: ['Daily stand-up'], description: 'Title for people.' })),
    description: Nullable(
      Type.String({ examples: ['Fifteen minutes, every morning.'], description: 'What the room is for.' }),
    ),
    max_members: Type.Integer({ examples: [20], description: 'Members at one time, audience aside.' }),
    quality: OneOf(QUALITIES, { description: 'Height of the composed picture.' }),
    fps: Type.Integer({ examples: [20], description: 'Frames per second of the composed picture.' }),
    join_from: Nullable(Timestamp({ description: 'Nobody can join before.' })),
    join_until: Nullable(
      Timestamp({
        examples: ['2030-01-31T10:30:00Z'],
        description: 'Nobody can join after; who is in stays.',
      }),
    ),
    remove_at: Nullable(
      Timestamp({ examples: ['2030-01-31T11:00:00Z'], description: 'Everybody is removed at this time.' }),
    ),
    remove_after_seconds_elapsed: Nullable(
      Type.Integer({ examples: [3600], description: 'Each member is removed after so many seconds.' }),
    ),
    layout: Type.String({ examples: ['grid-responsive'], description: 'Layout that sessions start with.' }),
    record_on_start: Type.Boolean({ description: 'Start a recording when a session starts.' }),
    tone_on_entry_and_exit: Type.Boolean({ description: 'Play a tone when somebody enters or leaves.' }),
    room_join_video_off: Type.Boolean({ description: 'Members join with their video off (room).' }),
    user_join_video_off: Type.Boolean({ description: 'Members join with their video off (user).' }),
    enable_room_previews: Nullable(Type.Boolean({ description: 'Make a preview video.' })),
    sync_audio_video: Nullable(Type.Boolean({ description: 'Keep audio and video in step.' })),
    meta: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        examples: [{ customer: 42 }],
        description: 'What you keep with the room.',
      }),
    ),
    prioritize_handraise: Type.Boolean({ description: 'Raised hands come first in the layout.' }),
    created_at: Timestamp({ description: 'When the room was created.' }),
    updated_at: Timestamp({ description: 'When the room was changed last.' }),
    active_session: Type.Optional(Nullable(ActiveSession)),
  },
  { additionalProperties: false, title: 'Room', description: 'A room: where sessions take place.' },
)
export type Room = Static<typeof Room>
