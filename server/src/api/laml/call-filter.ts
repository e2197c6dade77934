import type { ListCallsQuery } from '../../resources/call.ts'
import { parseMomentOrRfc2822 } from '../../resources/dates.ts'
import type { CallFilter } from '../../rooms/calls.ts'

/** Answers show times in whole seconds, so a filter matches the whole second. */
const SECOND_MS = 1000
const DAY_MS = 24 * 60 * 60 * SECOND_MS

/** A range of time in Unix milliseconds, without its end `before`. */
interface Span {
  from: number | undefined
  before: number | undefined
}

/**
 * Makes the filter for storage. The query has been validated.
 * @returns undefined when nothing can match
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

/** Combines the three conditions. A date alone means its midnight, except that `at` means the whole day. */
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
