import type { Clock } from '../../clock.ts'
import type { LogLine, LogTail } from '../../log-tail/log-tail.ts'
import { LOG_LEVELS, type LogLevel } from '../../resources/log-levels.ts'
import type { LogEntry } from '../../resources/server-log.ts'
import { Feed } from '../feed/feed.ts'
import type { NewsReader } from '../news/reader.ts'

/** The log of the server, as the dashboard shows it. */
export interface ServerLog {
  /** Newest first. @param level least severe one that is wanted */
  list(level: LogLevel, limit: number): LogEntry[]
  /** Opens a stream of the lines that come from now on, of all levels: see {@link Feed}. */
  follow(): NewsReader
  /** Ends all streams. */
  stop(): void
}

/** Creates {@link ServerLog} over the lines that are kept. */
export function createServerLog(tail: LogTail, clock: Clock): ServerLog {
  const feed = new Feed<LogLine>(clock, showLine)
  tail.follow((line) => feed.tell(line))
  return {
    list(level, limit) {
      const least = LOG_LEVELS.indexOf(level)
      const entries: LogEntry[] = []
      for (const line of tail.lines()) {
        const entry = showLine(line)
        if (LOG_LEVELS.indexOf(entry.level) >= least) entries.push(entry)
        if (entries.length === limit) break
      }
      return entries
    },
    follow: () => feed.open(),
    stop: () => feed.stop(),
  }
}

/** Fields that every line has, and that say nothing here. */
const USUAL = new Set(['level', 'time', 'msg', 'part', 'pid', 'hostname', 'v'])

/** Shows a line. What others wrote is in it: no control character is left that a terminal or a page would obey. */
export function showLine({ number, json }: LogLine): LogEntry {
  const fields = fieldsOf(json)
  const { level, time, msg, part } = fields
  const rest = Object.entries(fields).filter(([name]) => !USUAL.has(name))
  return {
    id: String(number),
    time: typeof time === 'number' ? new Date(time).toISOString() : null,
    level: LOG_LEVELS[Math.floor(Number(level) / 10) - 1] ?? 'info',
    part: typeof part === 'string' ? harmless(part) : null,
    message: harmless(typeof msg === 'string' ? msg : json),
    details: rest.length === 0 ? null : harmless(JSON.stringify(Object.fromEntries(rest))),
  }
}

/** The fields of a line; of one that was cut only its level and time. */
function fieldsOf(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) as Record<string, unknown>
  } catch {
    const [, level, time] = /^\{"level":(\d+),"time":(\d+)/.exec(json) ?? []
    return { level: Number(level ?? 30), ...(time && { time: Number(time) }) }
  }
}

/** Replaces control characters by their pictures, and drops those that turn the direction of a text. */
const harmless = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    .replace(/[\u0000-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\u{fffd}')
