import type { ListCallsQuery } from '../../resources/call.ts'
import { parseMomentOrRfc2822 } from '../../resources/dates.ts'
import type { CallFilter } from '../../rooms/calls.ts'

/** Times are told in whole seconds: what began within a second began then. */
const SECOND_MS = 1000
const DAY_MS = 24 * 60 * 60 * SECOND_MS

/** A stretch of time in Unix milliseconds; `before` is not part of it. */
interface Span {
  from: number | undefined
  before: number | undefined
}

/**
 * What to ask storage for. The query has been validated.
 * @returns undefined where nothing can match
 */
export function callFilter(query: ListCallsQuery): CallFilter | undefined {
  const { Status: status } = query
  if (status !== undefined && status !== 'in-progress' && status !== 'completed') return undefined
  const started = span(query.StartTime, query['StartTime>'], query['StartTime<'])
  const ended = span(query.EndTime, query['EndTime>'], query['EndTime<'])
  return {
    status,
    from: query.From,
    to: query.To,
    parentId: query.ParentCallSid,
    startedFrom: started.from,
    startedBefore: started.before,
    endedFrom: ended.from,
    endedBefore: ended.before,
  }
}

/** All three conditions at once; a date alone stands for its midnight, except that `at` means the whole day. */
function span(at: string | undefined, from: string | undefined, until: string | undefined): Span {
  const atMs = read(at)
  const isDay = at !== undefined && !at.includes(':')
  const untilMs = read(until)
  const starts = [atMs, read(from)].filter((time) => time !== undefined)
  const ends = [
    atMs === undefined ? undefined : atMs + (isDay ? DAY_MS : SECOND_MS),
    untilMs === undefined ? undefined : untilMs + SECOND_MS,
  ].filter((time) => time !== undefined)
  return {
    from: starts.length > 0 ? Math.max(...starts) : undefined,
    before: ends.length > 0 ? Math.min(...ends) : undefined,
  }
}

function read(text: string | undefined): number | undefined {
  const time = text === undefined ? undefined : parseMomentOrRfc2822(text)
  return time === undefined ? undefined : Math.floor(time / SECOND_MS) * SECOND_MS
}
