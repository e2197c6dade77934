import { useMemo, useSyncExternalStore } from 'react'
import { parseRoute, type Route, routeHref } from './routes.ts'

function subscribe(changed: () => void): () => void {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** The present route; follows links, the back button and `goTo`. */
export function useRoute(): Route {
  const fragment = useSyncExternalStore(subscribe, () => window.location.hash)
  return useMemo(() => parseRoute(fragment), [fragment])
}

export function goTo(route: Route): void {
  window.location.hash = routeHref(route)
}
