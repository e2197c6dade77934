import { useMemo, useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from './address-bar.ts'
import { parseRoute, type Route, routeHref } from './routes.ts'

/** The present route; follows links, the back button and `goTo`. */
export function useRoute(): Route {
  const fragment = useSyncExternalStore(subscribeAddressBar, () => addressBar().fragment)
  return useMemo(() => parseRoute(fragment), [fragment])
}

export function goTo(route: Route): void {
  window.location.hash = routeHref(route)
}
