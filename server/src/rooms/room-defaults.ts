import { newId } from '../ids.ts'
import { defaultsOf } from '../resources/records.ts'
import { roomFields } from '../resources/room-fields.ts'
import type { ConferenceSettings, Fps, RoomRecord } from '../storage/records.ts'

/** Default settings of a room. The default display name is the room's name. */
export const ROOM_DEFAULTS = defaultsOf(roomFields)

/** Settings of a new room, besides its name. */
export type RoomOptions = Partial<
  Omit<RoomRecord, 'id' | 'project_id' | 'name' | 'conference' | 'created_at' | 'updated_at'>
>

/**
 * Creates a room with defaults for all absent settings. Does not store it.
 * @param now Unix milliseconds
 * @param conference settings that make the room a conference
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
