import { randomBytes } from 'node:crypto'
import { conferenceSettings } from '../resources/conference-settings.ts'
import { defaultsOf } from '../resources/records.ts'

/** Default settings of a conference, in addition to those of a room. */
export const CONFERENCE_DEFAULTS = defaultsOf(conferenceSettings)

/**
 * Maximum number of characters that a name takes from the title. With the random suffix, the name stays below the
 * limit for names.
 */
const TITLE_MAX = 60

/** Creates a name for a conference: the title, readable, and a random suffix that makes it unique. */
export function newConferenceName(displayName: string): string {
  const title = displayName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, TITLE_MAX)
    .replace(/^-|-$/g, '')
    .toLowerCase()
  return `${title || 'conference'}-${randomBytes(5).toString('hex')}`
}
