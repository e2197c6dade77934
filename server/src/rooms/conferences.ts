import type { Clock } from '../clock.ts'
import type { ConferenceOptions } from '../resources/conference.ts'
import { CONFERENCE_SIZES } from '../resources/conference-settings.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { ConferenceSettings, Fps, SessionRecord } from '../storage/records.ts'
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
import { type Conference, isConference } from './conference.ts'
import { CONFERENCE_DEFAULTS, newConferenceName } from './conference-defaults.ts'
import { newConferenceTokens } from './conference-tokens.ts'
import type { LiveSessions } from './live-sessions.ts'
import { newRoom, ROOM_DEFAULTS } from './room-defaults.ts'

export type ConferenceChanges = Changes<ConferenceOptions>

/** The conferences of all projects. */
export interface Conferences {
  /**
   * @param name null: a name is made from the title
   * @throws Refusal `not_unique_within_project`, `invalid_join_until_date`
   */
  create(projectId: string, name: string | null, options: ConferenceChanges): Promise<Conference>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<Conference>
  list(
    projectId: string,
    filter: { startsAfter?: number | undefined; endsBefore?: number | undefined },
    request: ListRequest,
  ): Promise<ListPage<Conference>>
  /** The sessions in progress of these conferences, keyed by conference id. */
  activeSessions(projectId: string, conferences: readonly Conference[]): Promise<Map<string, SessionRecord>>
  /**
   * @param sentName the name in the request, if it had one. A name cannot be changed
   * @throws Refusal `provided_id_is_unrecognized`, `invalid_join_until_date`, `invalid_parameter` for another
   * name
   */
  update(
    projectId: string,
    id: string,
    changes: ConferenceChanges,
    sentName?: string | undefined,
  ): Promise<Conference>
  /**
   * Deletes the conference with its tokens and streams, and ends its session in progress. Sessions, recordings and events
   * stay.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  delete(projectId: string, id: string): Promise<void>
}

export interface ConferencesOptions {
  storage: Storage
  sessions: LiveSessions
  clock: Clock
  /** Frames per second of new conferences. */
  fps: Fps
  /** Key that encrypts the tokens of new conferences. */
  sealingKey: Uint8Array
}

export function createConferences(options: ConferencesOptions): Conferences {
  const { storage, sessions, clock, fps, sealingKey } = options

  async function get(projectId: string, id: string): Promise<Conference> {
    const room = await storage.rooms.find(projectId, id)
    if (!room || !isConference(room)) throw unrecognized()
    return room
  }

  return {
    get,

    async create(projectId, name, changes) {
      const now = clock.now()
      const { room, conference } = split(withoutNulls(changes))
      const settings = { ...CONFERENCE_DEFAULTS, ...conference }
      const created = newRoom(
        projectId,
        name ?? newConferenceName(room.display_name ?? ''),
        { fps, ...room, max_members: CONFERENCE_SIZES[settings.size] },
        now,
        settings,
      )
      checkWindow(created)
      const tokens = newConferenceTokens(projectId, created.id, sealingKey, now)
      try {
        await storage.transaction(async (tx) => {
          await tx.rooms.insert(created)
          for (const token of tokens) await tx.conferenceTokens.insert(token)
        })
      } catch (error) {
        throw error instanceof UniqueViolation ? nameTaken() : error
      }
      return { ...created, conference: settings }
    },

    async list(projectId, filter, request) {
      const page = await storage.rooms.list(projectId, { ...filter, kind: 'conference' }, request)
      return { ...page, rows: page.rows.filter(isConference) }
    },

    activeSessions: (projectId, conferences) =>
      storage.sessions.findActiveByRooms(
        projectId,
        conferences.map((conference) => conference.id),
      ),

    async update(projectId, id, changes, sentName) {
      return storage.transaction(async (tx) => {
        const present = await tx.rooms.hold(projectId, id)
        if (!present || !isConference(present)) throw unrecognized()
        checkSameName(sentName, present)
        const defaults = { ...ROOM_DEFAULTS, ...CONFERENCE_DEFAULTS, display_name: present.name }
        const { room, conference } = split(resetNulls(changes, defaults))
        checkWindow({ ...present, ...room })
        const settings = { ...present.conference, ...conference }
        const updated = await tx.rooms.update(projectId, id, {
          ...room,
          max_members: CONFERENCE_SIZES[settings.size],
          conference: settings,
          updated_at: clock.now(),
        })
        if (!updated || !isConference(updated)) throw unrecognized()
        return updated
      })
    },

    async delete(projectId, id) {
      await get(projectId, id)
      // The conference is deleted first, so that nobody can start another session of it while the current one ends.
      if (!(await storage.rooms.delete(projectId, id))) throw unrecognized()
      await sessions.endForRoom(projectId, id, 'room_deleted')
    },
  }
}

/** Splits options into those of the room and those of the conference. */
function split(options: Partial<ConferenceOptions>): {
  room: Partial<Omit<ConferenceOptions, keyof ConferenceSettings>>
  conference: Partial<ConferenceSettings>
} {
  const entries = Object.entries(options)
  const isOfConference = ([field]: [string, unknown]) => Object.hasOwn(CONFERENCE_DEFAULTS, field)
  return {
    room: Object.fromEntries(entries.filter((entry) => !isOfConference(entry))),
    conference: Object.fromEntries(entries.filter(isOfConference)),
  }
}
