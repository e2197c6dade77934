import { useMemo, useSyncExternalStore } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { addressBar, subscribeAddressBar } from './address-bar.ts'
import { type LinkedRoute, parseRoute, type Route, routeHref } from './routes.ts'

/** The current route. It follows links, the back button and `goTo`. */
export function useRoute(): Route {
  const { path, fragment } = useSyncExternalStore(subscribeAddressBar, addressBar)
  return useMemo(() => parseRoute(path, fragment), [path, fragment])
}

/** Opens another screen. The previous one stays in the browser's history. */
export function goTo(route: LinkedRoute): void {
  navigate(routeHref(route))
}
