import type { Clock } from '../clock.ts'
import type { CallFilter } from '../storage/interfaces/sessions.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { CallRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { unrecognized } from './changes.ts'
import type { LiveSessions } from './live-sessions.ts'
import { memberCost, type PriceList } from './prices.ts'
import type { WithCost } from './room-sessions.ts'

export type { CallFilter, CallRecord }

/** Read access to running and finished calls of a project. */
export interface Calls {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<WithCost<CallRecord>>
  list(projectId: string, filter: CallFilter, request: ListRequest): Promise<ListPage<WithCost<CallRecord>>>
}

export function createCalls(options: {
  storage: Pick<Storage, 'calls' | 'sessions'>
  sessions: Pick<LiveSessions, 'written'>
  clock: Clock
  prices: PriceList
}): Calls {
  const { storage, sessions, clock, prices } = options
  const isFree = prices.pricePerMemberMinute720p === 0 && prices.pricePerMemberMinute1080p === 0

  async function withCosts(projectId: string, calls: readonly CallRecord[]): Promise<WithCost<CallRecord>[]> {
    const sessionIds = isFree ? [] : [...new Set(calls.map((call) => call.room_session_id))]
    const sessionById = await storage.sessions.findAll(projectId, sessionIds)
    const now = clock.now()
    return calls.map((call) => {
      const quality = sessionById.get(call.room_session_id)?.quality ?? '720p'
      // A screen share or an extra device costs nothing beside its member.
      const timeMs = call.parent_id === null ? (call.ended_at ?? now) - call.created_at : 0
      return { ...call, costInDollars: memberCost(prices, quality, timeMs) }
    })
  }

  return {
    async get(projectId, id) {
      await sessions.written(projectId)
      const call = await storage.calls.find(projectId, id)
      const [found] = call ? await withCosts(projectId, [call]) : []
      if (!found) throw unrecognized()
      return found
    },

    async list(projectId, filter, request) {
      await sessions.written(projectId)
      const page = await storage.calls.list(projectId, filter, request)
      return { ...page, rows: await withCosts(projectId, page.rows) }
    },
  }
}
