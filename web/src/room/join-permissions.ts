import type { Permission } from '../api/resources.ts'

/** What everybody may do with their own sound and picture. These are the API's default permissions, written out. */
export const guestPermissions: Permission[] = [
  'room.self.audio_mute',
  'room.self.audio_unmute',
  'room.self.video_mute',
  'room.self.video_unmute',
  'room.self.deaf',
  'room.self.undeaf',
  'room.self.set_input_volume',
  'room.self.set_output_volume',
  'room.self.set_input_sensitivity',
  'room.self.screenshare',
  'room.self.additional_source',
]

/** People with the API token may also moderate the meeting. */
export const moderatorPermissions: Permission[] = [
  ...guestPermissions,
  'room.recording',
  'room.list_available_layouts',
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.member.remove',
]
