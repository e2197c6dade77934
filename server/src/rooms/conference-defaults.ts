import { randomBytes } from 'node:crypto'
import type { ConferenceSettings, RoomRecord, ThemeColor } from '../storage/records.ts'

/** How many members each size takes. */
export const CONFERENCE_SIZES = { small: 10, medium: 50, large: 300 } as const satisfies Record<
  ConferenceSettings['size'],
  number
>

/** The colours of a conference that names none. */
export const THEME_DEFAULTS = {
  dark_primary: '#044EF4',
  dark_background: '#FFFFFF',
  dark_foreground: '#1D2127',
  dark_success: '#17BB58',
  dark_negative: '#F42C50',
  light_primary: '#044EF4',
  light_background: '#FFFFFF',
  light_foreground: '#1D2127',
  light_success: '#17BB58',
  light_negative: '#F42C50',
} as const satisfies Record<ThemeColor, string>

/** Which part each colour of a theme is for. */
export const THEME_ROLES = Object.keys(THEME_DEFAULTS) as ThemeColor[]

/** What a conference has beyond a room unless it is told otherwise. */
export const CONFERENCE_DEFAULTS: ConferenceSettings = {
  size: 'medium',
  enable_chat: true,
  ...THEME_DEFAULTS,
}

/** What of its room may be said of a conference. Its size says how many members it takes. */
export type ConferenceRoomOptions = Pick<
  RoomRecord,
  | 'display_name'
  | 'description'
  | 'join_from'
  | 'join_until'
  | 'quality'
  | 'layout'
  | 'record_on_start'
  | 'tone_on_entry_and_exit'
  | 'room_join_video_off'
  | 'user_join_video_off'
  | 'enable_room_previews'
  | 'meta'
>

/** What may be said of a conference besides its name. */
export type ConferenceOptions = ConferenceRoomOptions & ConferenceSettings

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
