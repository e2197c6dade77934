import type { ConferenceSettings } from './conference-settings.ts'
import {
  boolean,
  integer,
  json,
  meta,
  moment,
  name,
  oneOf,
  oneOfAtFirst,
  oneOfIntegers,
  text,
  uuid,
} from './fields.ts'
import { DEFAULT_LAYOUT, REST_LAYOUTS } from './layout-names.ts'
import { MOST_RETENTION_DAYS } from './recording-retention.ts'
import type { RecordOf } from './records.ts'

/** What somebody sees before joining, and all later on. */
const TO_JOINERS = ['room', 'conference', 'session', 'active_session', 'invitation'] as const

/**
 * The fields of a room. A conference is a room too, and a session copies most of the fields when it starts. A new field
 * needs its declaration here and its columns in a migration; see docs/recipes.md.
 */
export const roomFields = {
  id: uuid({ description: 'Id of the room.', shown: ['room', 'conference'] }),
  project_id: uuid({ description: 'The project that it belongs to.', copiedTo: 'session' }),
  name: name({
    description: 'Unique within the project.',
    examples: ['standup'],
    shown: ['room', 'conference', 'session', 'active_session', 'live_session', 'invitation'],
    nullable: ['session', 'active_session'],
    copiedTo: 'session',
  }),
  display_name: text(
    { maxLength: 200 },
    {
      default: null,
      description: 'Title for people; the name unless given.',
      examples: ['Daily stand-up'],
      set: ['room', 'conference'],
      shown: TO_JOINERS,
      copiedTo: 'session',
    },
  ),
  description: text(
    { maxLength: 3000 },
    {
      default: null,
      description: 'What the room is for.',
      examples: ['Fifteen minutes, every morning.'],
      set: ['room', 'conference'],
      shown: ['room', 'conference', 'invitation'],
    },
  ),
  max_members: integer(
    { minimum: 1, maximum: 300 },
    {
      default: 20,
      description: 'Members at one time, audience aside.',
      examples: [20],
      set: ['room'],
      shown: ['room', 'session', 'active_session'],
      nullable: ['session', 'active_session'],
      copiedTo: 'session',
    },
  ),
  quality: oneOf(['720p', '1080p'], {
    default: '720p',
    description: 'Height of the composed picture: 720p or 1080p.',
    examples: ['720p'],
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'active_session'],
    nullable: ['session', 'active_session'],
    copiedTo: 'session',
  }),
  fps: oneOfIntegers([20, 30], {
    description: 'Frames per second of the composed picture: 20 or 30.',
    examples: [20],
    shown: ['room', 'session', 'active_session'],
    nullable: ['session', 'active_session'],
    copiedTo: 'session',
  }),
  join_from: moment({
    default: null,
    description: 'Nobody can join before.',
    set: ['room', 'conference'],
    shown: TO_JOINERS,
    copiedTo: 'session',
  }),
  join_until: moment({
    default: null,
    description: 'Nobody can join after; who is in stays.',
    examples: ['2030-01-31T10:30:00Z'],
    set: ['room', 'conference'],
    shown: TO_JOINERS,
    copiedTo: 'session',
  }),
  remove_at: moment({
    default: null,
    description: 'Everybody is removed at this time.',
    examples: ['2030-01-31T11:00:00Z'],
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'active_session'],
    copiedTo: 'session',
  }),
  remove_after_seconds_elapsed: integer(
    { minimum: 1, maximum: 200_000 },
    {
      default: null,
      description: 'Each member is removed after so many seconds.',
      examples: [3600],
      set: ['room'],
      shown: ['room', 'session', 'active_session'],
      copiedTo: 'session',
    },
  ),
  layout: oneOfAtFirst(REST_LAYOUTS, {
    default: DEFAULT_LAYOUT,
    description: 'Layout that sessions start with.',
    examples: [DEFAULT_LAYOUT],
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'active_session'],
    nullable: ['session', 'active_session'],
    copiedTo: 'session',
  }),
  record_on_start: boolean({
    default: false,
    description: 'Start a recording when a session starts.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'active_session'],
    copiedTo: 'session',
  }),
  tone_on_entry_and_exit: boolean({
    default: false,
    description: 'Play a tone when somebody enters or leaves.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session'],
    copiedTo: 'session',
  }),
  room_join_video_off: boolean({
    default: false,
    description: 'Members join with their video off, by setting of the room.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session'],
    copiedTo: 'session',
  }),
  user_join_video_off: boolean({
    default: false,
    description: 'Members join with their video off, by setting of the user.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session'],
    copiedTo: 'session',
  }),
  enable_room_previews: boolean({
    default: false,
    description: 'Make a small preview video of what goes on in the room.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'active_session', 'listed_session'],
    nullable: ['room', 'conference', 'active_session'],
    copiedTo: 'session',
  }),
  enable_hls: boolean({
    default: false,
    description:
      'Let people watch sessions over HLS, as many as like to, by the link `hls_url` of the session. An addition of this server.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session'],
    copiedTo: 'session',
  }),
  sync_audio_video: boolean({
    default: null,
    description: 'Keep audio and video in step, at the price of some delay.',
    set: ['room'],
    shown: ['room', 'session'],
    copiedTo: 'session',
  }),
  prioritize_handraise: boolean({
    default: false,
    description: 'Members who raise their hand come first in the layout.',
    set: ['room'],
    shown: ['room', 'session', 'live_session'],
    nullable: ['session'],
    copiedTo: 'session',
  }),
  name_labels: boolean({
    default: false,
    description:
      'Draw the names of members onto their tiles, so that recordings, streams and previews show them too. An addition of this server.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'live_session'],
    copiedTo: 'session',
  }),
  waiting_room: boolean({
    default: false,
    description:
      'Members wait until somebody who may lock the room lets them in. An audience is not asked. An addition of this server.',
    set: ['room', 'conference'],
    shown: ['room', 'conference', 'session', 'invitation'],
    copiedTo: 'session',
  }),
  recording_retention_days: integer(
    { minimum: 0, maximum: MOST_RETENTION_DAYS },
    {
      default: null,
      description:
        'Its recordings are deleted so many days after they were finished; 0 keeps them for ever, and null leaves it to the rule of the project. An addition of this server.',
      examples: [90],
      set: ['room', 'conference'],
      shown: ['room', 'conference'],
    },
  ),
  meta: meta({
    default: null,
    description: 'Anything you want to keep with the room.',
    examples: [{ customer: 42 }],
    set: ['room', 'conference'],
    shown: ['room', 'conference'],
    copiedTo: 'session',
  }),
  conference: json<ConferenceSettings>()({
    default: null,
    description: 'What makes the room a conference; null for every other room.',
  }),
  created_at: moment({ description: 'When it was created.', shown: ['room', 'conference'] }),
  updated_at: moment({ description: 'When it was changed last.', shown: ['room', 'conference'] }),
}

/** A room or conference as it is stored. */
export type RoomRecord = RecordOf<typeof roomFields>
