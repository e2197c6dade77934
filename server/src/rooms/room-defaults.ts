import { newId } from '../ids.ts'
import type { ConferenceSettings, Fps, RoomRecord } from '../storage/records.ts'

/** What a room has unless it is told otherwise. Its name stands in for a display name. */
export const ROOM_DEFAULTS = {
  description: null,
  max_members: 20,
  quality: '720p',
  join_from: null,
  join_until: null,
  remove_at: null,
  remove_after_seconds_elapsed: null,
  layout: 'grid-responsive',
  record_on_start: false,
  tone_on_entry_and_exit: false,
  room_join_video_off: false,
  user_join_video_off: false,
  enable_room_previews: false,
  sync_audio_video: null,
  prioritize_handraise: false,
  meta: null,
} as const satisfies Partial<RoomRecord>

/** What may be said of a new room besides its name. */
export type RoomOptions = Partial<
  Omit<RoomRecord, 'id' | 'project_id' | 'name' | 'conference' | 'created_at' | 'updated_at'>
>

/**
 * A new room, with defaults for all that is not said; not stored yet.
 * @param now Unix milliseconds
 * @param conference what makes the room a conference
 */
export function newRoom(
  projectId: string,
  name: string,
  options: RoomOptions & { fps: Fps },
  now: number,
  conference: ConferenceSettings | null = null,
): RoomRecord {
  return {
    ...ROOM_DEFAULTS,
    ...options,
    display_name: options.display_name ?? name,
    id: newId(),
    project_id: projectId,
    name,
    conference,
    created_at: now,
    updated_at: now,
  }
}
