import { type Access, answerOf, fetchProject } from './http.ts'
import { placeOf } from './list-place.ts'
import { createPageClient } from './page-client.ts'
import type {
  NewRoom,
  NewRoomToken,
  Page,
  Project,
  Recording,
  Room,
  RoomSession,
  SessionMember,
} from './resources.ts'

/**
 * The part of the REST API that the page uses. The rest of the page knows only this interface, and nothing of HTTP.
 * Every method rejects with ApiError. A `page` argument is a path from the `links` of an earlier page.
 */
export interface ParleyApi {
  /** The project that the credentials belong to. Rejects if they are not valid for video. */
  getProject(signal?: AbortSignal): Promise<Project>
  /** Newest first, each with its active session. */
  listRooms(page?: string, signal?: AbortSignal): Promise<Page<Room>>
  getRoom(name: string, signal?: AbortSignal): Promise<Room>
  createRoom(room: NewRoom): Promise<Room>
  deleteRoom(id: string): Promise<void>
  /** Sessions of every room that has or had this name, newest first. */
  listSessions(roomName: string, page?: string, signal?: AbortSignal): Promise<Page<RoomSession>>
  /** Present and past members of the session, oldest first. */
  listSessionMembers(sessionId: string, signal?: AbortSignal): Promise<Page<SessionMember>>
  listSessionRecordings(sessionId: string, signal?: AbortSignal): Promise<Page<Recording>>
  /** Includes a new link to the file. */
  getRecording(id: string): Promise<Recording>
  deleteRecording(id: string): Promise<void>
  /** A token that lets a browser join the room. If the room does not exist, joining creates it. */
  createRoomToken(token: NewRoomToken): Promise<string>
}

/** Lifetime of a link to a recording. It is longer than anybody leaves the player open. */
const mediaTtlSeconds = 12 * 60 * 60

export function createParleyApi(credentials: Access): ParleyApi {
  const client = createPageClient(credentials)

  return {
    getProject: (signal) => fetchProject(credentials, signal),
    listRooms: async (page, signal) => {
      const query = { ...placeOf(page), include_active_session: true, page_size: 50 }
      const sent = client.GET('/api/video/rooms', { params: { query }, ...abortedBy(signal) })
      // The request asked for the active session, so every room includes it.
      return (await answerOf(sent, signal)) as Page<Room>
    },
    getRoom: async (name, signal) => {
      const params = { path: { id: name }, query: { include_active_session: true } }
      const sent = client.GET('/api/video/rooms/{id}', { params, ...abortedBy(signal) })
      return (await answerOf(sent, signal)) as Room
    },
    createRoom: async (body) => (await answerOf(client.POST('/api/video/rooms', { body }))) as Room,
    deleteRoom: async (id) => {
      await answerOf(client.DELETE('/api/video/rooms/{id}', { params: { path: { id } } }))
    },
    listSessions: (roomName, page, signal) => {
      const query = { ...placeOf(page), room_name: roomName, page_size: 10 }
      return answerOf(
        client.GET('/api/video/room_sessions', { params: { query }, ...abortedBy(signal) }),
        signal,
      )
    },
    listSessionMembers: (id, signal) => {
      const params = { path: { id }, query: { page_size: 1000 } }
      return answerOf(
        client.GET('/api/video/room_sessions/{id}/members', { params, ...abortedBy(signal) }),
        signal,
      )
    },
    listSessionRecordings: (id, signal) => {
      const params = { path: { id }, query: { page_size: 100 } }
      return answerOf(
        client.GET('/api/video/room_sessions/{id}/recordings', { params, ...abortedBy(signal) }),
        signal,
      )
    },
    getRecording: (id) => {
      const params = { path: { id }, query: { media_ttl: mediaTtlSeconds } }
      return answerOf(client.GET('/api/video/room_recordings/{id}', { params }))
    },
    deleteRecording: async (id) => {
      await answerOf(client.DELETE('/api/video/room_recordings/{id}', { params: { path: { id } } }))
    },
    createRoomToken: async (body) => {
      const { token } = await answerOf(client.POST('/api/video/room_tokens', { body }))
      return token
    },
  }
}

const abortedBy = (signal: AbortSignal | undefined) => (signal ? { signal } : {})
