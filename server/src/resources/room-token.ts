import { type Static, Type } from 'typebox'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../rooms/permissions.ts'
import { Answer, Meta, Moment, Name, OneOf, Optional, Text, Uuid } from './building-blocks.ts'

export const CreateRoomTokenBody = Type.Object(
  {
    room_name: Name({ examples: ['standup'], description: 'The room it lets into; it need not exist yet.' }),
    user_name: Optional(
      Text({
        maxLength: 100,
        examples: ['Ada'],
        description: 'Name of the user; a random one at each connect unless given.',
      }),
    ),
    permissions: Optional(
      Type.Array(OneOf(PERMISSIONS, { description: 'One permission.' }), {
        default: [...DEFAULT_PERMISSIONS],
        description: 'What the user may do. An audience has no permissions, whatever stands here.',
      }),
    ),
    join_from: Optional(Moment({ description: 'The user cannot join before.' })),
    join_until: Optional(
      Moment({ examples: ['2030-01-31T10:30:00Z'], description: 'The user cannot join after.' }),
    ),
    remove_at: Optional(
      Moment({ examples: ['2030-01-31T11:00:00Z'], description: 'The user is removed at this time.' }),
    ),
    remove_after_seconds_elapsed: Optional(
      Type.Integer({
        minimum: 0,
        maximum: 200_000,
        examples: [3600],
        description: 'The user is removed after so many seconds.',
      }),
    ),
    join_audio_muted: Optional(
      Type.Boolean({ default: false, description: 'Join with the microphone muted.' }),
    ),
    join_video_muted: Optional(Type.Boolean({ default: false, description: 'Join with the camera off.' })),
    auto_create_room: Optional(
      Type.Boolean({ default: true, description: 'Create the room on join if it is not there.' }),
    ),
    enable_room_previews: Optional(
      Type.Boolean({ default: false, description: 'Of the room that the join creates: make previews.' }),
    ),
    room_display_name: Optional(
      Text({
        maxLength: 200,
        examples: ['Daily stand-up'],
        description: 'Of the room that the join creates: title for people.',
      }),
    ),
    end_room_session_on_leave: Optional(
      Type.Boolean({ default: false, description: 'The session ends when the user leaves.' }),
    ),
    join_as: Optional(
      OneOf(['member', 'audience'], {
        default: 'member',
        description: 'An audience sees and hears, and cannot be seen or heard.',
      }),
    ),
    media_allowed: Optional(
      OneOf(['all', 'audio-only', 'video-only'], {
        default: 'all',
        description: 'What the user may receive.',
      }),
    ),
    room_meta: Optional(Meta({ description: 'Of the room that the join creates: its `meta`.' })),
    meta: Optional(Meta({ description: 'Anything you want to keep with the member.' })),
    sync_audio_video: Optional(
      Type.Boolean({
        default: false,
        description: 'Of the room that the join creates: keep audio and video in step.',
      }),
    ),
  },
  {
    title: 'CreateRoomToken',
    description: 'What one user may do in one room.',
    examples: [
      { room_name: 'standup', user_name: 'Ada', permissions: [...DEFAULT_PERMISSIONS, 'room.recording'] },
    ],
    'x-join-window': true,
  },
)
export type CreateRoomTokenBody = Static<typeof CreateRoomTokenBody>

export const RevokeRoomTokenBody = Type.Object(
  {
    token: Optional(
      Text({
        maxLength: 65_536,
        examples: ['eyJhbGciOiJIUzI1NiIsImNoIjoibWVldC5leGFtcGxlLm9yZyJ9.eyJyIjoic3RhbmR1cCJ9.c2lnbmF0dXJl'],
        description: 'The token itself.',
      }),
    ),
    id: Optional(Uuid({ description: 'Its id: the claim `jti` of the token.' })),
  },
  {
    title: 'RevokeRoomToken',
    description: 'Which room token is to be void: the token or its id.',
    examples: [{ id: '01b2c3d4-e5f6-8a7b-9c8d-7e6f5a4b3c2d' }],
  },
)
export type RevokeRoomTokenBody = Static<typeof RevokeRoomTokenBody>

export const RoomToken = Answer(
  {
    token: Type.String({
      examples: ['eyJhbGciOiJIUzI1NiIsImNoIjoibWVldC5leGFtcGxlLm9yZyJ9.eyJyIjoic3RhbmR1cCJ9.c2lnbmF0dXJl'],
      description: 'What the client connects with.',
    }),
  },
  { title: 'RoomToken', description: 'A room token.' },
)
