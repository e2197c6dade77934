import { useMemo, useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from './address-bar.ts'
import { parseRoute, type Route, routeHref } from './routes.ts'

/** The present route; follows links, the back button and `goTo`. */
export function useRoute(): Route {
  const fragment = useSyncExternalStore(subscribeAddressBar, () => addressBar().fragment)
  return useMemo(() => parseRoute(fragment), [fragment])
}

/** Leads to another screen, and leaves the present one in the browser's history. */
export function goTo(route: Route): void {
  window.location.hash = routeHref(route)
}
