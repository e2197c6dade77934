/**
 * A view of the page, as its address names it. The server answers the paths of these views with the page: see
 * `PAGE_PATHS` in `server/src/api/files/page-paths.ts`.
 */
export type Route =
  | { screen: 'lobby'; roomName: string | null }
  | { screen: 'visit'; roomName: string }
  | { screen: 'guest'; roomToken: string }
  | { screen: 'conference'; name: string }
  /** The dashboard knows the addresses of its own screens. */
  | { screen: 'dashboard' }
  /** In the frame of another page. */
  | { screen: 'embed' }
  /** Where a meeting is watched over HLS. */
  | { screen: 'watch'; link: string }
  /** Where people sign in. A one-time link has its secret in the fragment. */
  | { screen: 'sign-in' }
  /** An address that leads nowhere. */
  | { screen: 'nothing' }

/**
 * Reads an address. `/rooms/<name>` selects a room, `/rooms/<name>/join` enters it, `/join#<room token>` enters with an
 * invitation, `/watch#<link of a playlist>` shows a meeting over HLS, `/c/<name>#<conference token>` is the page of a conference, `/dashboard` and all below
 * it is the dashboard. Only secrets are in the fragment, because
 * browsers do not send it.
 * @param path as `location.pathname` has it
 * @param fragment with or without its `#`
 */
export function parseRoute(path: string, fragment: string): Route {
  const parts = path.replace(/\/$/, '').split('/').slice(1).map(decoded)
  const [kind, name, action] = parts
  if (parts.length === 0) return { screen: 'lobby', roomName: null }
  if (parts.length === 1 && kind === 'join') {
    return { screen: 'guest', roomToken: decoded(fragment.replace(/^#/, '')) }
  }
  if (parts.length === 1 && kind === 'watch') return { screen: 'watch', link: fragment.replace(/^#/, '') }
  if (parts.length === 1 && kind === 'sign-in') return { screen: 'sign-in' }
  if (kind === 'dashboard') return { screen: 'dashboard' }
  if (parts.length === 1 && kind === 'embed') return { screen: 'embed' }
  if (!name) return { screen: 'nothing' }
  if (parts.length === 2 && kind === 'rooms') return { screen: 'lobby', roomName: name }
  if (parts.length === 3 && kind === 'rooms' && action === 'join') return { screen: 'visit', roomName: name }
  if (parts.length === 2 && kind === 'c') return { screen: 'conference', name }
  return { screen: 'nothing' }
}

/** Routes that the page links to. A link to a conference comes from the server, with the token in it. */
export type LinkedRoute = Exclude<Route, { screen: 'conference' | 'embed' | 'nothing' | 'sign-in' | 'watch' }>

/** The address of a route: its path, and the fragment if there is a secret. */
export function routeHref(route: LinkedRoute): string {
  if (route.screen === 'guest') return `/join#${encodeURIComponent(route.roomToken)}`
  if (route.screen === 'dashboard') return '/dashboard'
  if (route.screen === 'visit') return `/rooms/${encodeURIComponent(route.roomName)}/join`
  return route.roomName === null ? '/' : `/rooms/${encodeURIComponent(route.roomName)}`
}

/**
 * The present address of a view that was in the fragment before there were paths. Such links were sent to people:
 * `#/guest/<room token>`, `#/rooms/<name>`, `#/rooms/<name>/join`.
 * @param fragment with or without its `#`
 * @returns null if the fragment is not of that kind. One that names no view leads to the lobby.
 */
export function hrefOfOldFragment(fragment: string): string | null {
  const old = fragment.replace(/^#/, '')
  if (!old.startsWith('/')) return null
  const [kind, value] = old.split('/').slice(1).map(decoded)
  if (kind === 'guest' && value) return routeHref({ screen: 'guest', roomToken: value })
  const route = parseRoute(old, '')
  return routeHref(route.screen === 'visit' || route.screen === 'lobby' ? route : lobby)
}

const lobby = { screen: 'lobby', roomName: null } as const

/** @returns an empty text if it cannot be decoded */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
