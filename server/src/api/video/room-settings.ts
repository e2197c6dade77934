import type { UpdateConferenceBody } from '../../resources/conference.ts'
import type { UpdateRoomBody } from '../../resources/room.ts'
import { THEME_ROLES } from '../../rooms/conference-defaults.ts'
import type { ConferenceChanges } from '../../rooms/conferences.ts'
import type { RoomChanges } from '../../rooms/rooms.ts'
import { parseMoment } from '../conventions/dates.ts'

/** The fields of a request that a room takes as they are. */
const PLAIN_FIELDS = [
  'display_name',
  'description',
  'max_members',
  'quality',
  'remove_after_seconds_elapsed',
  'layout',
  'record_on_start',
  'tone_on_entry_and_exit',
  'room_join_video_off',
  'user_join_video_off',
  'enable_room_previews',
  'sync_audio_video',
  'prioritize_handraise',
  'meta',
] as const satisfies (keyof UpdateRoomBody)[]

const DATE_FIELDS = ['join_from', 'join_until', 'remove_at'] as const satisfies (keyof UpdateRoomBody)[]

/** The settings in the body of a request to create or update a room. Whatever else is in it is left out. */
export function readRoomSettings(body: Omit<UpdateRoomBody, 'name'>): RoomChanges {
  return readFields(body, PLAIN_FIELDS, DATE_FIELDS) as RoomChanges
}

/** The fields of a request that a conference takes as they are. */
const PLAIN_CONFERENCE_FIELDS = [
  'display_name',
  'description',
  'quality',
  'layout',
  'size',
  'record_on_start',
  'tone_on_entry_and_exit',
  'room_join_video_off',
  'user_join_video_off',
  'enable_room_previews',
  'enable_chat',
  ...THEME_ROLES,
  'meta',
] as const satisfies (keyof UpdateConferenceBody)[]

const CONFERENCE_DATE_FIELDS = ['join_from', 'join_until'] as const satisfies (keyof UpdateConferenceBody)[]

/** The same for a conference. */
export function readConferenceSettings(body: Omit<UpdateConferenceBody, 'name'>): ConferenceChanges {
  return readFields(body, PLAIN_CONFERENCE_FIELDS, CONFERENCE_DATE_FIELDS) as ConferenceChanges
}

function readFields<Body>(
  body: Body,
  plain: readonly (keyof Body)[],
  dates: readonly (keyof Body)[],
): Partial<Record<keyof Body, unknown>> {
  const said = (field: keyof Body) => body[field] !== undefined
  return Object.fromEntries([
    ...plain.filter(said).map((field) => [field, body[field]]),
    ...dates.filter(said).map((field) => [field, readMoment(body[field] as string | null)]),
  ])
}

/** A date that has been validated. */
export function readMoment(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : (parseMoment(text) ?? null)
}
