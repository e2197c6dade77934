import { type Arguments, type CommandOption, UsageError } from './command.ts'

/** Default and maximum number of entries in one answer. */
const USUAL = 100
const MOST = 10_000

/** The option `limit` of commands with long lists. */
export const LIMIT: CommandOption = {
  value: 'number',
  doc: `How many at most: ${USUAL} unless given, up to ${MOST}.`,
}

/** @throws UsageError */
export function readLimit(args: Arguments): number {
  const text = args.text('limit')
  if (text === undefined) return USUAL
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MOST) return limit
  throw new UsageError(`--limit must be a number from 1 to ${MOST}.`)
}
