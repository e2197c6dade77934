/** The current view of the page. It is in the fragment, so the server never sees it and needs no routes for it. */
export type Route =
  | { screen: 'lobby'; roomName: string | null }
  | { screen: 'visit'; roomName: string }
  | { screen: 'guest'; roomToken: string }

/**
 * Reads a fragment, with or without its `#`. An invalid fragment leads to the lobby. `/rooms/<name>` selects a room,
 * `/rooms/<name>/join` enters it, `/guest/<room token>` enters with an invitation.
 */
export function parseRoute(fragment: string): Route {
  const parts = fragment.replace(/^#/, '').split('/').slice(1).map(decoded)
  const [kind, value, action] = parts
  if (kind === 'guest' && value) return { screen: 'guest', roomToken: value }
  if (kind === 'rooms' && value) {
    return action === 'join' ? { screen: 'visit', roomName: value } : { screen: 'lobby', roomName: value }
  }
  return { screen: 'lobby', roomName: null }
}

/** The fragment of a route, including `#`. */
export function routeHref(route: Route): string {
  if (route.screen === 'guest') return `#/guest/${encodeURIComponent(route.roomToken)}`
  if (route.screen === 'visit') return `#/rooms/${encodeURIComponent(route.roomName)}/join`
  return route.roomName === null ? '#/' : `#/rooms/${encodeURIComponent(route.roomName)}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
