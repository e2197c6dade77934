/** Resources of the video API, with the fields that the page reads. Times are ISO 8601, UTC. */

export type Quality = '720p' | '1080p'

/** The session of a room that is in progress. */
export interface ActiveSession {
  id: string
  start_time: string | null
  status: 'in-progress' | 'completed' | null
}

export interface Room {
  id: string
  /** `A-Za-z0-9_-`, at most 100 characters, unique in the project. */
  name: string
  display_name: string | null
  max_members: number
  quality: Quality
  record_on_start: boolean
  join_from: string | null
  join_until: string | null
  created_at: string
  /** Null while nobody is in the room. */
  active_session: ActiveSession | null
}

export interface NewRoom {
  name: string
  display_name?: string
  quality?: Quality
  record_on_start?: boolean
}

export interface RoomSession {
  id: string
  name: string | null
  status: 'in-progress' | 'completed' | null
  start_time: string | null
  end_time: string | null
}

export interface SessionMember {
  id: string
  name: string
  join_time: string | null
  leave_time: string | null
}

export interface Recording {
  id: string
  room_session_id: string
  status: 'recording' | 'paused' | 'processing' | 'completed' | null
  started_at: string | null
  /** Seconds. */
  duration: number | null
  size_in_bytes: number | null
  /** MIME type. */
  format: string | null
  /** Signed link to the file; expires. */
  uri: string | null
}

/** What a room token lets its holder do. The join times and the rest of its fields keep their defaults. */
export interface NewRoomToken {
  room_name: string
  room_display_name?: string
  user_name: string
  permissions: readonly string[]
  join_audio_muted?: boolean
  join_video_muted?: boolean
  auto_create_room?: boolean
  /** ISO 8601. */
  join_until?: string
}

/** One page of a list. `next` is the path of the page after it, null on the last one. */
export interface Page<Item> {
  data: Item[]
  links: { self: string; first: string; next: string | null; prev: string | null }
}
