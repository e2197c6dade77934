import ical from 'ical-generator'
import type { Conference } from './room-kinds.ts'

/** How long a conference takes in a calendar that says no end, in milliseconds. */
const USUAL_LENGTH_MS = 3_600_000
/** Signs that a calendar must not have (RFC 5545, section 3.3.11), and those that turn the direction of what follows. */
const UNWANTED = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu

type Dated = Pick<
  Conference,
  'id' | 'name' | 'display_name' | 'description' | 'join_from' | 'join_until' | 'created_at' | 'updated_at'
>

/**
 * A conference as a calendar file (RFC 5545). Its times are in UTC, so that no calendar needs to know a time zone; its id
 * stays, so that a later file changes the date instead of making another.
 * @param link of the page of the conference
 */
export function calendarFile(conference: Dated, link: string): string {
  const { id, name, display_name, description, join_from, join_until, created_at, updated_at } = conference
  const start = new Date(join_from ?? created_at)
  const end = join_until === null ? new Date(start.getTime() + USUAL_LENGTH_MS) : new Date(join_until)
  const { host } = new URL(link)
  const calendar = ical({ prodId: { company: 'Parley', product: 'Parley' } })
  calendar.createEvent({
    id: `${id}@${host}`,
    start,
    end,
    stamp: new Date(updated_at),
    // Seconds since its creation: it grows with each change (RFC 5545, section 3.8.7.4).
    sequence: Math.floor((Date.parse(updated_at) - Date.parse(created_at)) / 1000),
    summary: clean(display_name ?? name).replace(/\s+/g, ' '),
    description: [description ? clean(description) : null, link].filter(Boolean).join('\n\n'),
    location: link,
    url: link,
  })
  return calendar.toString()
}

const clean = (text: string): string => text.replace(/\r\n?/g, '\n').replace(UNWANTED, '')
