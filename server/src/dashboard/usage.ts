import type { Clock } from '../clock.ts'
import { memberCost, type PriceList, recordingCost, streamCost } from '../rooms/prices.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import type { UsageRepository } from '../storage/interfaces/usage.ts'
import type { Storage } from '../storage/storage.ts'
import { addSpans, addTo, HOUR_MS, type Hours, hourOf, lengthOf, span } from './hours.ts'

/** What was used in one hour, in milliseconds. */
interface Used {
  members720p: Hours
  members1080p: Hours
  recorded: Hours
  streamed: Hours
}

/** Use of a project by hour, oldest first. */
export interface Usage {
  /** Begin of the first hour, in Unix milliseconds. */
  start: number
  memberMs: number[]
  recordedMs: number[]
  streamedMs: number[]
  costInDollars: number[]
}

export interface UsageOptions {
  storage: { usage: UsageRepository } & Pick<Storage, 'transaction'>
  sessions: Pick<SessionRegistry, 'runningSessions' | 'recordedMs' | 'written'>
  clock: Clock
  prices: PriceList
}

/** Hours that one query reads. It takes a few milliseconds with a million members in a month. */
const SLICE_HOURS = 6
/** Writes may be late when the database was away. A slice that ended this long ago is kept in memory. */
const SETTLED_MS = 10 * 60_000
/** Slices of the last months of a few projects. Each has a few numbers. */
const SLICES_KEPT = 2000

/** Sums the use of projects. What has ended is read once, slice by slice; what runs is taken from the sessions. */
export class UsageStatistics {
  readonly #options: UsageOptions
  /** Use that ended in a slice of time, by project and slice, oldest read first. */
  readonly #kept = new Map<string, Promise<Used>>()

  constructor(options: UsageOptions) {
    this.#options = options
  }

  /** Use in the last `hours` hours, the one under way included. */
  async ofLast(projectId: string, hours: number): Promise<Usage> {
    const now = this.#options.clock.now()
    await this.#options.sessions.written(projectId)
    const first = hourOf(now) - hours + 1
    const used = nothing()
    const lastSlice = Math.floor(hourOf(now) / SLICE_HOURS)
    for (let slice = Math.floor(first / SLICE_HOURS); slice <= lastSlice; slice++) {
      merge(used, await this.#slice(projectId, slice, now))
    }
    merge(used, this.#running(projectId, now))
    return this.#inOrder(used, first, hours)
  }

  #slice(projectId: string, slice: number, now: number): Promise<Used> {
    const from = slice * SLICE_HOURS * HOUR_MS
    const until = from + SLICE_HOURS * HOUR_MS
    if (until + SETTLED_MS > now) return this.#read(projectId, from, until)
    const key = `${projectId} ${slice}`
    const kept = this.#kept.get(key)
    if (kept) return kept
    const read = this.#read(projectId, from, until)
    this.#kept.set(key, read)
    read.catch(() => this.#kept.delete(key))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > SLICES_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    return read
  }

  async #read(projectId: string, from: number, until: number): Promise<Used> {
    const { usage } = this.#options.storage
    const [members, recordings, streams] = await Promise.all([
      usage.ofMembers(projectId, from, until),
      usage.ofRecordings(projectId, from, until),
      usage.ofStreams(projectId, from, until),
    ])
    const used = nothing()
    for (const spans of members) {
      addSpans(spans.quality === '1080p' ? used.members1080p : used.members720p, spans)
    }
    for (const { mediaMs, ...spans } of recordings) {
      const length = lengthOf(spans)
      addSpans(used.recorded, spans, length > 0 ? mediaMs / length : 0)
    }
    for (const spans of streams) addSpans(used.streamed, spans)
    return used
  }

  #running(projectId: string, now: number): Used {
    const { sessions } = this.#options
    const used = nothing()
    for (const session of sessions.runningSessions(projectId)) {
      const ofMembers = session.room.quality === '1080p' ? used.members1080p : used.members720p
      for (const { parent, joinedAt } of session.everybody()) {
        if (!parent && joinedAt < now) addSpans(ofMembers, span(joinedAt, now))
      }
      for (const { id, startedAt } of session.runningRecordings) {
        const length = startedAt === null ? 0 : now - startedAt
        const mediaMs = sessions.recordedMs(projectId, id) ?? 0
        if (startedAt !== null && length > 0) addSpans(used.recorded, span(startedAt, now), mediaMs / length)
      }
      for (const { startedAt } of session.runningStreams) {
        if (startedAt !== null && startedAt < now) addSpans(used.streamed, span(startedAt, now))
      }
    }
    return used
  }

  #inOrder(used: Used, first: number, hours: number): Usage {
    const { prices } = this.#options
    const of = (from: Hours) => Array.from({ length: hours }, (_, index) => from.get(first + index) ?? 0)
    const [small, large] = [of(used.members720p), of(used.members1080p)]
    const [recordedMs, streamedMs] = [of(used.recorded), of(used.streamed)]
    return {
      start: first * HOUR_MS,
      memberMs: small.map((ms, index) => ms + (large[index] ?? 0)),
      recordedMs,
      streamedMs,
      costInDollars: small.map(
        (ms, index) =>
          memberCost(prices, '720p', ms) +
          memberCost(prices, '1080p', large[index] ?? 0) +
          recordingCost(prices, recordedMs[index] ?? 0) +
          streamCost(prices, streamedMs[index] ?? 0),
      ),
    }
  }
}

const nothing = (): Used => ({
  members720p: new Map(),
  members1080p: new Map(),
  recorded: new Map(),
  streamed: new Map(),
})

function merge(into: Used, from: Used): void {
  for (const kind of Object.keys(into) as (keyof Used)[]) {
    for (const [hour, ms] of from[kind]) addTo(into[kind], hour, ms)
  }
}
