import { randomBytes } from 'node:crypto'
import { conferenceSettings } from '../resources/conference-settings.ts'
import { defaultsOf } from '../resources/records.ts'

/** What a conference has beyond a room unless it is told otherwise. */
export const CONFERENCE_DEFAULTS = defaultsOf(conferenceSettings)

/** Characters of a name that is made from a title; with what is put behind it, it stays below the limit for names. */
const TITLE_MAX = 60

/** A name for a conference that was given none: readable by its title, and its own by chance. */
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
