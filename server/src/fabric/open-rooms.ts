import { Refusal } from '../errors/refusal.ts'
import type { ProjectRecord } from '../storage/records.ts'

/** Rooms and conferences that a project opens to its subscribers: names, or prefixes of names followed by `*`. */
export type OpenRooms = ProjectRecord['subscriber_rooms']

/** Limit of the list, because every query of rooms uses it. */
const MOST_PATTERNS = 100
/** In characters. Names of rooms are not longer. */
const LONGEST_PATTERN = 200

/** @param open null when all rooms are open */
export function isOpen(open: OpenRooms, roomName: string): boolean {
  return (
    open === null ||
    open.some((pattern) =>
      pattern.endsWith('*') ? roomName.startsWith(pattern.slice(0, -1)) : roomName === pattern,
    )
  )
}

/**
 * Reads an operator's text: `all`, `none`, or names separated by commas.
 * @throws Refusal `invalid_parameter`
 */
export function readOpenRooms(text: string): OpenRooms {
  if (text === 'all') return null
  if (text === 'none') return []
  const patterns = [...new Set(text.split(',').map((pattern) => pattern.trim()))]
  const areGood = patterns.every(
    (pattern) =>
      /^[^*\p{Cc}]*\*?$/u.test(pattern) && pattern !== '' && [...pattern].length <= LONGEST_PATTERN + 1,
  )
  if (areGood && patterns.length <= MOST_PATTERNS) return patterns
  const message = `must be all, none, or up to ${MOST_PATTERNS} names of rooms separated by commas, where a * may stand at the end of each`
  throw new Refusal('invalid_parameter', { attribute: 'rooms', message })
}
