import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { Fps, RoomRecord, SessionRecord } from '../storage/records.ts'
import { type Storage, UniqueViolation } from '../storage/storage.ts'
import {
  type Changes,
  checkSameName,
  checkWindow,
  nameTaken,
  resetNulls,
  unrecognized,
  withoutNulls,
} from './changes.ts'
import type { LiveSessions } from './live-sessions.ts'
import { newRoom, ROOM_DEFAULTS, type RoomOptions } from './room-defaults.ts'

export type RoomChanges = Changes<RoomOptions>

/** A room, and its session in progress if there is one. */
export interface RoomWithSession {
  room: RoomRecord
  activeSession: SessionRecord | null
}

/** The rooms of all projects, without conferences. */
export interface Rooms {
  /** @throws Refusal `not_unique_within_project`, `invalid_join_until_date` */
  create(projectId: string, name: string, options: RoomChanges): Promise<RoomWithSession>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<RoomRecord>
  /** @throws Refusal `does_not_exist` */
  getByName(projectId: string, name: string): Promise<RoomRecord>
  list(
    projectId: string,
    filter: { startsAfter?: number | undefined; endsBefore?: number | undefined },
    request: ListRequest,
  ): Promise<ListPage<RoomRecord>>
  /** The sessions in progress of these rooms, keyed by room id. */
  activeSessions(projectId: string, rooms: readonly RoomRecord[]): Promise<Map<string, SessionRecord>>
  /**
   * @param sentName the name in the request, if it had one. A name cannot be changed
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_join_until_date`, `invalid_parameter` for another
   * name
   */
  update(
    projectId: string,
    id: string,
    changes: RoomChanges,
    sentName?: string | undefined,
  ): Promise<RoomWithSession>
  /**
   * Deletes the room and ends its session in progress. Sessions, recordings and events stay.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  delete(projectId: string, id: string): Promise<void>
}

export interface RoomsOptions {
  storage: Storage
  sessions: LiveSessions
  clock: Clock
  /** Frames per second of new rooms. */
  fps: Fps
}

export function createRooms({ storage, sessions, clock, fps }: RoomsOptions): Rooms {
  async function withSession(room: RoomRecord): Promise<RoomWithSession> {
    const active = await storage.sessions.findActiveByRooms(room.project_id, [room.id])
    return { room, activeSession: active.get(room.id) ?? null }
  }

  async function get(projectId: string, id: string): Promise<RoomRecord> {
    const room = await storage.rooms.find(projectId, id)
    if (!room || room.conference) throw unrecognized()
    return room
  }

  return {
    get,

    async create(projectId, name, options) {
      const room = newRoom(projectId, name, { fps, ...withoutNulls(options) }, clock.now())
      checkWindow(room)
      try {
        await storage.rooms.insert(room)
      } catch (error) {
        throw error instanceof UniqueViolation ? nameTaken() : error
      }
      // A session of that name may be in progress. It belongs to a room that was just deleted, not to this one.
      return { room, activeSession: null }
    },

    async getByName(projectId, name) {
      const room = await storage.rooms.findByName(projectId, name)
      if (!room || room.conference) throw new Refusal('does_not_exist', { attribute: 'name' })
      return room
    },

    list: (projectId, filter, request) => storage.rooms.list(projectId, filter, request),

    activeSessions: (projectId, rooms) =>
      storage.sessions.findActiveByRooms(
        projectId,
        rooms.map((room) => room.id),
      ),

    async update(projectId, id, changes, sentName) {
      const updated = await storage.transaction(async (tx) => {
        const present = await tx.rooms.hold(projectId, id)
        if (!present || present.conference) throw unrecognized()
        checkSameName(sentName, present)
        const settled = resetNulls<RoomOptions>(changes, { ...ROOM_DEFAULTS, display_name: present.name })
        checkWindow({ ...present, ...settled })
        return tx.rooms.update(projectId, id, { ...settled, updated_at: clock.now() })
      })
      if (!updated) throw unrecognized()
      return withSession(updated)
    },

    async delete(projectId, id) {
      await get(projectId, id)
      // The room is deleted first, so that nobody can start another session of it while the current one ends.
      if (!(await storage.rooms.delete(projectId, id))) throw unrecognized()
      await sessions.endForRoom(projectId, id, 'room_deleted')
    },
  }
}
