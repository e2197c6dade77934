import { type Static, Type } from 'typebox'
import { bodyFields } from './bodies.ts'
import { Answer, Optional, Text, Uuid } from './building-blocks.ts'
import { boolean, type Field, integer, listOf, meta, moment, name, oneOf, text } from './fields.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from './permission-names.ts'
import type { RecordOf } from './records.ts'

/**
 * The contents of a room token for one user and one room. The token carries each field in the claim that is named here.
 */
export const roomTokenFields = {
  room_name: name({
    description: 'The room it lets into; it need not exist yet.',
    examples: ['standup'],
    set: ['room_token'],
    claim: 'r',
    claimAlways: true,
  }),
  user_name: text(
    { maxLength: 100 },
    {
      default: null,
      description: 'Name of the user; a random one at each connect unless given.',
      examples: ['Ada'],
      set: ['room_token'],
      claim: 'u',
      claimAlways: true,
    },
  ),
  permissions: listOf(
    { values: PERMISSIONS, description: 'One permission.' },
    {
      default: DEFAULT_PERMISSIONS,
      description: 'What the user may do. An audience has no permissions, whatever stands here.',
      set: ['room_token'],
      claim: 's',
      claimAlways: true,
    },
  ),
  join_from: moment({
    default: null,
    description: 'The user cannot join before.',
    set: ['room_token'],
    claim: 'jf',
    claimAlways: true,
  }),
  join_until: moment({
    default: null,
    description: 'The user cannot join after.',
    examples: ['2030-01-31T10:30:00Z'],
    set: ['room_token'],
    claim: 'ju',
    claimAlways: true,
  }),
  remove_at: moment({
    default: null,
    description: 'The user is removed at this time.',
    examples: ['2030-01-31T11:00:00Z'],
    set: ['room_token'],
    claim: 'rat',
    claimAlways: true,
  }),
  remove_after_seconds_elapsed: integer(
    { minimum: 0, maximum: 200_000 },
    {
      default: null,
      description: 'The user is removed after so many seconds.',
      examples: [3600],
      set: ['room_token'],
      claim: 'rse',
      claimAlways: true,
    },
  ),
  join_audio_muted: boolean({
    default: false,
    description: 'Join with the microphone muted.',
    set: ['room_token'],
    claim: 'jam',
  }),
  join_video_muted: boolean({
    default: false,
    description: 'Join with the camera off.',
    set: ['room_token'],
    claim: 'jvm',
  }),
  auto_create_room: boolean({
    default: true,
    description: 'Create the room on join if it is not there.',
    set: ['room_token'],
    claim: 'acr',
    claimAlways: true,
  }),
  enable_room_previews: boolean({
    default: false,
    description: 'For the room that the join creates: make previews.',
    set: ['room_token'],
    claim: 'erp',
  }),
  room_display_name: text(
    { maxLength: 200 },
    {
      default: null,
      description: 'For the room that the join creates: title for people.',
      examples: ['Daily stand-up'],
      set: ['room_token'],
      claim: 'rdn',
    },
  ),
  end_room_session_on_leave: boolean({
    default: false,
    description: 'The session ends when the user leaves.',
    set: ['room_token'],
    claim: 'eol',
  }),
  join_as: oneOf(['member', 'audience'], {
    default: 'member',
    description: 'An audience sees and hears, and cannot be seen or heard.',
    set: ['room_token'],
    claim: 'ja',
  }),
  media_allowed: oneOf(['all', 'audio-only', 'video-only'], {
    default: 'all',
    description: 'What the user may receive.',
    set: ['room_token'],
    claim: 'ma',
  }),
  room_meta: meta({
    default: null,
    description: 'For the room that the join creates: its `meta`.',
    set: ['room_token'],
    claim: 'rm',
  }),
  meta: meta({
    default: null,
    description: 'Anything you want to keep with the member.',
    set: ['room_token'],
    claim: 'm',
  }),
  sync_audio_video: boolean({
    default: false,
    description: 'For the room that the join creates: keep audio and video in step.',
    set: ['room_token'],
    claim: 'sav',
  }),
  // The type requires a claim, because a field without one would be accepted and then lost.
} satisfies Record<string, Field & { claim: string }>

/** The customer's settings for the user and the room. Times are Unix milliseconds. */
export type RoomTokenSettings = RecordOf<typeof roomTokenFields>

export const CreateRoomTokenBody = Type.Object(bodyFields(roomTokenFields, 'room_token'), {
  title: 'CreateRoomToken',
  description: 'What one user may do in one room.',
  examples: [
    { room_name: 'standup', user_name: 'Ada', permissions: [...DEFAULT_PERMISSIONS, 'room.recording'] },
  ],
  'x-join-window': true,
})
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
