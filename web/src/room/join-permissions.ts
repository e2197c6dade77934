import { DEFAULT_PERMISSIONS } from '../../../server/src/resources/permission-names.ts'
import type { Permission } from '../api/resources.ts'

/** People with the API token may also moderate the meeting. Guests have the API's default permissions. */
export const moderatorPermissions: Permission[] = [
  ...DEFAULT_PERMISSIONS,
  'room.recording',
  'room.list_available_layouts',
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.member.remove',
]
