import { type Static, Type } from 'typebox'
import { CONFERENCE_SIZES, THEME_DEFAULTS, THEME_ROLES } from '../rooms/conference-defaults.ts'
import type { ConferenceSettings, ThemeColor } from '../storage/records.ts'
import {
  Color,
  MomentOrTimestamp,
  Name,
  Nullable,
  OneOf,
  Optional,
  Text,
  Timestamp,
  Uuid,
} from './building-blocks.ts'
import { pagingFields } from './paging.ts'
import { includeActiveSession, joinWindow, QUALITIES, roomSettings } from './room.ts'
import { ActiveSession } from './room-session.ts'

const SIZES = Object.keys(CONFERENCE_SIZES) as ConferenceSettings['size'][]
const size = OneOf(SIZES, {
  default: 'medium',
  description: 'Members at one time: small takes 10, medium 50, large 300.',
})

const ROLE_TEXTS: Record<string, string> = {
  primary: 'main buttons and selected items',
  background: 'main background',
  foreground: 'text on the main background',
  success: 'what went well',
  negative: 'what went wrong',
}

/** Says of a colour what it is for. */
function describeRole(role: ThemeColor): string {
  const [surroundings, part = ''] = role.split('_')
  return `Colour of the ${surroundings} theme: ${ROLE_TEXTS[part]}.`
}

/** One schema for each of the ten colours. */
function colors<Schema>(make: (role: ThemeColor) => Schema): Record<ThemeColor, Schema> {
  return Object.fromEntries(THEME_ROLES.map((role) => [role, make(role)])) as Record<ThemeColor, Schema>
}

const { description, join_from, join_until, quality, layout, record_on_start, enable_room_previews } =
  roomSettings
const { tone_on_entry_and_exit, room_join_video_off, user_join_video_off, meta } = roomSettings

/** What a conference may be given, besides its name. */
const settings = {
  display_name: Text({ maxLength: 200, examples: ['Town hall'], description: 'Title for people.' }),
  description,
  join_from,
  join_until,
  quality,
  layout,
  size: Optional(size),
  record_on_start,
  tone_on_entry_and_exit,
  room_join_video_off,
  user_join_video_off,
  enable_room_previews,
  enable_chat: Optional(
    Type.Boolean({ default: true, description: 'Participants can write to each other.' }),
  ),
  ...colors((role) => Optional(Color({ default: THEME_DEFAULTS[role], description: describeRole(role) }))),
  meta,
}

export const CreateConferenceBody = Type.Object(
  {
    name: Optional(
      Name({
        examples: ['town-hall'],
        description:
          'Unique among the rooms and conferences of the project; made from the title unless given.',
      }),
    ),
    ...settings,
  },
  {
    title: 'CreateConference',
    description: 'A new conference.',
    examples: [{ name: 'town-hall', display_name: 'Town hall', size: 'large', dark_primary: '#0B6E4F' }],
    ...joinWindow,
  },
)
export type CreateConferenceBody = Static<typeof CreateConferenceBody>

export const UpdateConferenceBody = Type.Object(
  {
    name: Type.Optional(
      Type.String({ examples: ['town-hall'], description: 'Accepted only if it is the present name.' }),
    ),
    ...settings,
  },
  {
    title: 'UpdateConference',
    description:
      'Changes to a conference. A field that is absent keeps its value; null resets it to its default.',
    examples: [{ display_name: 'Town hall of May', enable_chat: false, dark_primary: null }],
    ...joinWindow,
  },
)
export type UpdateConferenceBody = Static<typeof UpdateConferenceBody>

export const ConferenceQuery = Type.Object({ include_active_session: includeActiveSession })

export const ListConferencesQuery = Type.Object({
  include_active_session: includeActiveSession,
  starts_after: Type.Optional(
    MomentOrTimestamp({ description: 'Only conferences whose `join_from` is then or later.' }),
  ),
  ends_before: Type.Optional(
    MomentOrTimestamp({ description: 'Only conferences whose `join_until` is then or earlier.' }),
  ),
  ...pagingFields,
})
export type ListConferencesQuery = Static<typeof ListConferencesQuery>

export const Conference = Type.Object(
  {
    id: Uuid({ description: 'Id of the conference.' }),
    name: Type.String({
      examples: ['town-hall'],
      description: 'Unique among the rooms and conferences of the project.',
    }),
    display_name: Nullable(Type.String({ examples: ['Town hall'], description: 'Title for people.' })),
    description: Nullable(
      Type.String({ examples: ['Everybody, once a quarter.'], description: 'What the conference is for.' }),
    ),
    join_from: Nullable(Timestamp({ description: 'Nobody can join before.' })),
    join_until: Nullable(
      Timestamp({
        examples: ['2030-01-31T10:30:00Z'],
        description: 'Nobody can join after; who is in stays.',
      }),
    ),
    quality: OneOf(QUALITIES, { description: 'Height of the composed picture.' }),
    layout: Type.String({ examples: ['grid-responsive'], description: 'Layout that sessions start with.' }),
    size: Nullable(size),
    record_on_start: Type.Boolean({ description: 'Start a recording when a session starts.' }),
    tone_on_entry_and_exit: Type.Boolean({ description: 'Play a tone when somebody enters or leaves.' }),
    user_join_video_off: Type.Boolean({ description: 'Members join with their video off (user).' }),
    room_join_video_off: Type.Boolean({ description: 'Members join with their video off (room).' }),
    enable_chat: Type.Boolean({ description: 'Participants can write to each other.' }),
    enable_room_previews: Nullable(Type.Boolean({ description: 'Make a preview video.' })),
    ...colors((role) =>
      Nullable(Type.String({ examples: [THEME_DEFAULTS[role]], description: describeRole(role) })),
    ),
    meta: Nullable(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        examples: [{ customer: 42 }],
        description: 'What you keep with the conference.',
      }),
    ),
    created_at: Timestamp({ description: 'When the conference was created.' }),
    updated_at: Timestamp({ description: 'When the conference was changed last.' }),
    active_session: Type.Optional(Nullable(ActiveSession)),
  },
  {
    additionalProperties: false,
    title: 'Conference',
    description: 'A room with a theme, a size and tokens of its own.',
  },
)
export type Conference = Static<typeof Conference>
