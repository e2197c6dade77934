import { type Arguments, type CommandOption, UsageError } from './command.ts'

/** Entries in one answer, unless said otherwise and at most. */
const USUAL = 100
const MOST = 10_000

/** The option `limit` of a command that lists what there may be much of. */
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
