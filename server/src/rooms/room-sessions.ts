import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { SessionRepository } from '../storage/interfaces/sessions.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { EventRecord, MemberQualityRecord, MemberRecord, SessionRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { LiveSessions } from './live-sessions.ts'
import { memberCost, type PriceList } from './prices.ts'

/** A row with its cost. */
export type WithCost<T> = T & { costInDollars: number }

/** Members whose quality is shown at most: they come in one answer. */
const MOST_QUALITIES = 300

/** Read access to running and finished sessions. */
export interface RoomSessions {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<SessionRecord>
  list(
    projectId: string,
    filter: Parameters<SessionRepository['list']>[1],
    request: ListRequest,
  ): Promise<ListPage<WithCost<SessionRecord>>>
  /** Those of these sessions that exist, in the order of the ids. */
  withCosts(projectId: string, ids: readonly string[]): Promise<WithCost<SessionRecord>[]>
  /** @throws Refusal `provided_id_is_unrecognized` */
  listMembers(projectId: string, id: string, request: ListRequest): Promise<ListPage<WithCost<MemberRecord>>>
  /**
   * How the connections of the members were: of a session in progress, up to a minute ago.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  listQuality(projectId: string, id: string): Promise<MemberQualityRecord[]>
  /** @throws Refusal `provided_id_is_unrecognized` */
  listEvents(projectId: string, id: string, request: ListRequest): Promise<ListPage<EventRecord>>
}

export interface RoomSessionsOptions {
  storage: Storage
  sessions: Pick<LiveSessions, 'written'>
  clock: Clock
  prices: PriceList
}

export function createRoomSessions(options: RoomSessionsOptions): RoomSessions {
  const { storage, sessions, clock, prices } = options

  async function get(projectId: string, id: string): Promise<SessionRecord> {
    await sessions.written(projectId)
    const session = await storage.sessions.find(projectId, id)
    if (!session) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
    return session
  }
  const isFree = prices.pricePerMemberMinute720p === 0 && prices.pricePerMemberMinute1080p === 0

  async function addCosts(projectId: string, rows: readonly SessionRecord[]) {
    const ids = isFree ? [] : rows.map((session) => session.id)
    const times = await storage.members.totalTimes(projectId, ids, clock.now())
    return rows.map((session) => ({
      ...session,
      costInDollars: memberCost(prices, session.quality, times.get(session.id) ?? 0),
    }))
  }

  return {
    get,

    async list(projectId, filter, request) {
      await sessions.written(projectId)
      const page = await storage.sessions.list(projectId, filter, request)
      return { ...page, rows: await addCosts(projectId, page.rows) }
    },

    async withCosts(projectId, ids) {
      const found = await storage.sessions.findAll(projectId, ids)
      return addCosts(
        projectId,
        ids.flatMap((id) => found.get(id) ?? []),
      )
    },

    async listMembers(projectId, id, request) {
      const { quality } = await get(projectId, id)
      const page = await storage.members.list(projectId, id, request)
      const now = clock.now()
      const rows = page.rows.map((member) => {
        // A screen share or an extra device costs nothing beside its member.
        const timeMs = member.parent_id === null ? (member.leave_time ?? now) - member.join_time : 0
        return { ...member, costInDollars: memberCost(prices, quality, timeMs) }
      })
      return { ...page, rows }
    },

    async listQuality(projectId, id) {
      await get(projectId, id)
      return storage.memberQuality.list(projectId, id, MOST_QUALITIES)
    },

    async listEvents(projectId, id, request) {
      await get(projectId, id)
      return storage.events.list(projectId, { sessionId: id }, request)
    },
  }
}
