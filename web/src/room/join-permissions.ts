import { DEFAULT_PERMISSIONS } from '../../../server/src/resources/permission-names.ts'
import type { Permission } from '../api/resources.ts'

/** Guests may do what the API allows by default, and raise a hand. */
export const guestPermissions: Permission[] = [
  ...DEFAULT_PERMISSIONS,
  'room.self.raisehand',
  'room.self.lowerhand',
]

/** People with the API token may also moderate the meeting. */
export const moderatorPermissions: Permission[] = [
  ...guestPermissions,
  'room.self.set_position',
  'room.recording',
  'room.playback',
  'room.playback_seek',
  'room.list_available_layouts',
  'room.set_layout',
  'room.set_position',
  'room.hide_video_muted',
  'room.show_video_muted',
  'room.prioritize_handraise',
  'room.lock',
  'room.unlock',
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.member.set_position',
  'room.member.lowerhand',
  'room.member.promote',
  'room.member.demote',
  'room.member.remove',
]
