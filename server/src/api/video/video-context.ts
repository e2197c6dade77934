import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { ConferenceTokens } from '../../rooms/conference-tokens.ts'
import type { Conferences } from '../../rooms/conferences.ts'
import type { MediaLinks } from '../../rooms/media-links.ts'
import type { Previews } from '../../rooms/previews.ts'
import type { Recordings } from '../../rooms/recordings.ts'
import type { RoomSessions } from '../../rooms/room-sessions.ts'
import type { RoomTokens } from '../../rooms/room-tokens.ts'
import type { Rooms } from '../../rooms/rooms.ts'
import type { Streams } from '../../rooms/streams.ts'
import type { VideoLogs } from '../../rooms/video-logs.ts'
import type { Paging } from '../conventions/paging.ts'

/** What the routes of the video family work with. */
export interface VideoContext {
  rooms: Rooms
  roomSessions: RoomSessions
  recordings: Recordings
  conferences: Conferences
  conferenceTokens: ConferenceTokens
  roomTokens: RoomTokens
  streams: Streams
  videoLogs: VideoLogs
  mediaLinks: MediaLinks
  previews: Previews
  paging: Paging
  clock: Clock
  /** Where the caller of this request reaches the server, such as `https://meet.example.org`. */
  originOf(request: FastifyRequest): string
  /** The same without `https://`. */
  hostOf(request: FastifyRequest): string
}
