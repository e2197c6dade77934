import type { RoomChanges } from '../../rooms/rooms.ts'
import type { UpdateRoomBody } from '../../schemas/room.ts'
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
  const plain = PLAIN_FIELDS.filter((field) => body[field] !== undefined).map((field) => [field, body[field]])
  const dates = DATE_FIELDS.filter((field) => body[field] !== undefined).map((field) => [
    field,
    readMoment(body[field]),
  ])
  return Object.fromEntries([...plain, ...dates]) as RoomChanges
}

/** A date that has been validated. */
export function readMoment(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : (parseMoment(text) ?? null)
}
