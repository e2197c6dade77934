import type accounts from './accounts/en.json'
import type chat from './chat/en.json'
import type dashboard from './dashboard/en.json'
import type developers from './developers/en.json'
import type effects from './effects/en.json'
import type embed from './embed/en.json'
import type errors from './errors/en.json'
import type guest from './guest/en.json'
import type host from './host/en.json'
import type { Language } from './languages.ts'
import type live from './live/en.json'
import type meeting from './meeting/en.json'
import type panels from './panels/en.json'
import type recordings from './recordings/en.json'
import type rooms from './rooms/en.json'
import type server from './server/en.json'
import type settings from './settings/en.json'
import type waiting from './waiting/en.json'
import type watch from './watch/en.json'

/**
 * The areas of texts. Each has a folder with a file for every language, and each part of the page loads only the areas
 * that it shows. A text's id begins with the name of its area.
 */
export interface Areas {
  /** What only a page in the frame of another page says. */
  embed: typeof embed
  /** All that a guest sees before joining, and what every screen has. It is always loaded. */
  guest: typeof guest
  /** What is done to the own picture and sound before they are sent. */
  effects: typeof effects
  /** Why something failed: requests to the API, and joining. */
  errors: typeof errors
  /** People who sign in: their passwords and sessions, users, API tokens, the audit log. */
  accounts: typeof accounts
  /** The dashboard. */
  dashboard: typeof dashboard
  /** The server as a whole, for its operators. */
  server: typeof server
  /** Recordings of all rooms, on the dashboard. */
  recordings: typeof recordings
  /** What developers of clients need: requests of the API. */
  developers: typeof developers
  /** Running rooms and streams of a project. */
  live: typeof live
  /** The panels of the meeting beside the picture. */
  chat: typeof chat
  panels: typeof panels
  /** Rooms and conferences in the dashboard. */
  rooms: typeof rooms
  /** The settings of the meeting, and their tests. */
  settings: typeof settings
  /** The meeting, and what follows it. */
  meeting: typeof meeting
  /** The waiting room, from both sides of its door. */
  waiting: typeof waiting
  /** What people with the API token have besides: rooms, invitations, recordings, sign-in. */
  host: typeof host
  /** What those see who watch over HLS. */
  watch: typeof watch
}

export type Area = keyof Areas

/** The ids of all texts, as the English files have them. */
export type TextId = { [A in Area]: keyof Areas[A] }[Area]

/** Texts by their ids; the build compiles them (`web/build/compiled-texts.ts`). */
type Catalog = Record<string, string>

// Before joining there is this area alone. The list of all others is long, and loaded with the first of them.
const firstArea = import.meta.glob<Catalog>('./guest/*.json', { import: 'default' })

/**
 * Fetches the texts of an area in a language.
 * @throws if the file cannot be fetched
 */
export async function fetchCatalog(area: Area, language: Language): Promise<Catalog> {
  const files = area === 'guest' ? firstArea : (await import('./later-areas.ts')).laterAreas
  const fetchFile = files[`./${area}/${language}.json`]
  if (!fetchFile) throw new Error(`There are no texts of ${area} in ${language}.`)
  return fetchFile()
}
