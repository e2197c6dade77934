import { newId } from '../ids.ts'
import { DEFAULT_PERMISSIONS } from '../rooms/permissions.ts'
import type { RoomTokenGrant } from '../rooms/room-token.ts'

/** A whole grant for tests, which name only what they are about. */
export const sampleRoomTokenGrant = (
  fields: Partial<RoomTokenGrant> & { project_id: string },
): RoomTokenGrant => ({
  id: newId(),
  room_name: 'standup',
  user_name: 'Ada',
  permissions: DEFAULT_PERMISSIONS,
  join_as: 'member',
  media_allowed: 'all',
  auto_create_room: true,
  join_from: null,
  join_until: null,
  remove_at: null,
  remove_after_seconds_elapsed: null,
  join_audio_muted: false,
  join_video_muted: false,
  end_room_session_on_leave: false,
  enable_room_previews: false,
  room_display_name: null,
  sync_audio_video: false,
  room_meta: null,
  meta: null,
  issued_at: Date.now(),
  ...fields,
})
