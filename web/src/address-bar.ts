import { navigate } from 'wouter/use-browser-location'
import type { Credentials } from './api/http.ts'
import { hrefOfOldFragment } from './routes.ts'
import { credentialsInFragment } from './sign-in/credentials.ts'

/** The content of the address bar: the current view of the page, and credentials from a link. */
interface AddressBar {
  /** As `location.pathname` has it. */
  path: string
  /** With its `#`, or empty. It never contains credentials. */
  fragment: string
  /** Null if there are none, or they were taken. */
  offered: Credentials | null
}

let present: AddressBar = { path: '', fragment: '', offered: null }
const listeners = new Set<() => void>()

/** Events after which the address may be another one. The router reports the last two, which browsers do not. */
const changes = ['popstate', 'hashchange', 'pushState', 'replaceState']

/**
 * Reads the address bar now and at every change. Credentials are removed from it at once, so that they are neither
 * shown nor kept in the history. The view that was open stays open.
 */
export function watchAddressBar(): void {
  read()
  for (const change of changes) window.addEventListener(change, read)
}

/** Calls the listener at each change of {@link addressBar}. @returns a function that unsubscribes */
export function subscribeAddressBar(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * The current content of the address bar. It is the same object until it changes, as React's external stores require.
 */
export const addressBar = (): AddressBar => present

/** The offered credentials were taken or declined. */
export function dropOffer(): void {
  if (present.offered) change({ ...present, offered: null })
}

function read(): void {
  const offered = credentialsInFragment(window.location.hash) ?? present.offered
  const moved = replacement()
  if (moved !== null) navigate(moved, { replace: true })
  const { pathname: path, hash: fragment } = window.location
  if (path !== present.path || fragment !== present.fragment || offered !== present.offered) {
    change({ path, fragment, offered })
  }
}

/** The address to show in place of the current one: without credentials, or in its present form. Null to keep it. */
function replacement(): string | null {
  const { hash, pathname, search } = window.location
  if (credentialsInFragment(hash)) {
    return `${pathname}${search}${pathname === present.path ? present.fragment : ''}`
  }
  return hrefOfOldFragment(hash)
}

function change(next: AddressBar): void {
  present = next
  for (const listener of listeners) listener()
}
