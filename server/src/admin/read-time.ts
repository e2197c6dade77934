import { type Arguments, UsageError } from './command.ts'

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Reads an option that is a time, or how long ago.
 * @param now Unix milliseconds
 * @returns Unix milliseconds; undefined when the option was not given
 * @throws UsageError
 */
export function readTime(args: Arguments, option: string, now: number): number | undefined {
  const text = args.text(option)
  if (text === undefined) return undefined
  const ago = /^(\d{1,6})([mhd])$/.exec(text)
  if (ago) return now - Number(ago[1]) * (UNITS_MS[ago[2] ?? ''] ?? 0)
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new UsageError(`--${option} must be a time such as 2026-11-20, 2026-11-20T08:00Z, 90m, 24h or 7d.`)
}
