import type { Permission } from '../api/resources.ts'

/** What everybody may do with their own sound and picture: the API's default permissions, spelt out. */
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

/** Who holds the API token runs the meeting as well. */
export const moderatorPermissions: Permission[] = [
  ...guestPermissions,
  'room.recording',
  'room.list_available_layouts',
  'room.member.audio_mute',
  'room.member.video_mute',
  'room.member.remove',
]
