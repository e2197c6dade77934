import { useMemo, useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from './address-bar.ts'
import { parseRoute, type Route, routeHref } from './routes.ts'

/** The current route. It follows links, the back button and `goTo`. */
export function useRoute(): Route {
  const fragment = useSyncExternalStore(subscribeAddressBar, () => addressBar().fragment)
  return useMemo(() => parseRoute(fragment), [fragment])
}

/** Opens another screen. The previous one stays in the browser's history. */
export function goTo(route: Route): void {
  window.location.hash = routeHref(route)
}
