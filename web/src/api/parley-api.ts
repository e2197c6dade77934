import { type Credentials, request } from './http.ts'
import type { NewRoom, NewRoomToken, Page, Recording, Room, RoomSession, SessionMember } from './resources.ts'

/**
 * The part of the REST API that the page uses. Everything else of the page knows this interface and nothing of HTTP.
 * Every method rejects with ApiError. A `page` argument is a path taken from the `links` of an earlier page.
 */
export interface ParleyApi {
  /** Resolves when the credentials are good for video. */
  checkCredentials(): Promise<void>
  /** Newest first, each with its active session. */
  listRooms(page?: string, signal?: AbortSignal): Promise<Page<Room>>
  getRoom(name: string, signal?: AbortSignal): Promise<Room>
  createRoom(room: NewRoom): Promise<Room>
  deleteRoom(id: string): Promise<void>
  /** Sessions of every room that has or had this name, newest first. */
  listSessions(roomName: string, page?: string, signal?: AbortSignal): Promise<Page<RoomSession>>
  /** Those who are in the session and those who were, oldest first. */
  listSessionMembers(sessionId: string, signal?: AbortSignal): Promise<Page<SessionMember>>
  listSessionRecordings(sessionId: string, signal?: AbortSignal): Promise<Page<Recording>>
  /** With a fresh link to the file. */
  getRecording(id: string): Promise<Recording>
  deleteRecording(id: string): Promise<void>
  /** A token that lets a browser join the room; the room is made on joining if it is not there. */
  createRoomToken(token: NewRoomToken): Promise<string>
}

/** How long a link to a recording stays good: longer than anybody leaves the player open. */
const mediaTtlSeconds = 12 * 60 * 60

export function createParleyApi(credentials: Credentials): ParleyApi {
  const get = <Answer>(path: string, signal?: AbortSignal) => request<Answer>(credentials, path, { signal })
  const post = <Answer>(path: string, body: unknown) =>
    request<Answer>(credentials, path, { method: 'POST', body })
  const remove = (path: string) => request<void>(credentials, path, { method: 'DELETE' })
  const id = encodeURIComponent

  return {
    checkCredentials: async () => {
      await get('/api/video/rooms?page_size=1')
    },
    listRooms: (page = '/api/video/rooms?include_active_session=true&page_size=50', signal) =>
      get(page, signal),
    getRoom: (name, signal) => get(`/api/video/rooms/${id(name)}?include_active_session=true`, signal),
    createRoom: (room) => post('/api/video/rooms', room),
    deleteRoom: (roomId) => remove(`/api/video/rooms/${id(roomId)}`),
    listSessions: (roomName, page, signal) =>
      get(page ?? `/api/video/room_sessions?room_name=${id(roomName)}&page_size=10`, signal),
    listSessionMembers: (sessionId, signal) =>
      get(`/api/video/room_sessions/${id(sessionId)}/members?page_size=1000`, signal),
    listSessionRecordings: (sessionId, signal) =>
      get(`/api/video/room_sessions/${id(sessionId)}/recordings?page_size=100`, signal),
    getRecording: (recordingId) =>
      get(`/api/video/room_recordings/${id(recordingId)}?media_ttl=${mediaTtlSeconds}`),
    deleteRecording: (recordingId) => remove(`/api/video/room_recordings/${id(recordingId)}`),
    createRoomToken: async (token) => {
      const answer = await post<{ token: string }>('/api/video/room_tokens', token)
      return answer.token
    },
  }
}
