import type { TextId } from '../../languages/catalogs.ts'

/** What the fields are called. A field that is not here is called what the API document says of it. */
export const FIELD_LABELS: Readonly<Record<string, TextId>> = {
  name: 'rooms.name',
  display_name: 'rooms.title',
  description: 'rooms.description',
  max_members: 'rooms.max-members',
  size: 'rooms.size',
  quality: 'rooms.quality',
  layout: 'rooms.layout',
  join_from: 'rooms.join-from',
  join_until: 'rooms.join-until',
  remove_at: 'rooms.remove-at',
  remove_after_seconds_elapsed: 'rooms.remove-after',
  record_on_start: 'rooms.record-on-start',
  tone_on_entry_and_exit: 'rooms.tone',
  room_join_video_off: 'rooms.video-off-room',
  user_join_video_off: 'rooms.video-off-user',
  enable_room_previews: 'rooms.previews',
  enable_hls: 'rooms.hls',
  sync_audio_video: 'rooms.sync',
  prioritize_handraise: 'rooms.hands-first',
  name_labels: 'rooms.name-labels',
  waiting_room: 'rooms.waiting-room',
  enable_chat: 'rooms.chat',
  public_look: 'rooms.public-look',
  meta: 'rooms.meta',
  light_primary: 'rooms.light-primary',
  light_background: 'rooms.light-background',
  light_foreground: 'rooms.light-foreground',
  light_success: 'rooms.light-success',
  light_negative: 'rooms.light-negative',
  dark_primary: 'rooms.dark-primary',
  dark_background: 'rooms.dark-background',
  dark_foreground: 'rooms.dark-foreground',
  dark_success: 'rooms.dark-success',
  dark_negative: 'rooms.dark-negative',
}

/** What is good to know of some fields. */
export const FIELD_HINTS: Readonly<Record<string, TextId>> = {
  name: 'rooms.name-hint',
  public_look: 'rooms.public-look-hint',
  waiting_room: 'rooms.waiting-room-hint',
  meta: 'rooms.meta-hint',
}

/** What choices are called; all others by their own names. */
export const CHOICE_LABELS: Readonly<Record<string, TextId>> = {
  small: 'rooms.size-small',
  medium: 'rooms.size-medium',
  large: 'rooms.size-large',
}
