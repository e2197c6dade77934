import type { Credentials } from './api/http.ts'
import { credentialsInFragment } from './sign-in/credentials.ts'

/** The content of the address bar's fragment: the current view of the page, and credentials from a link. */
interface AddressBar {
  /** With its `#`, or empty. It never contains credentials. */
  fragment: string
  /** Null if there are none, or they were taken. */
  offered: Credentials | null
}

let present: AddressBar = { fragment: '', offered: null }
const listeners = new Set<() => void>()

/**
 * Reads the address bar now and at every change. Credentials are removed from it at once, so that they are neither
 * shown nor kept in the history. The view that was open stays open.
 */
export function watchAddressBar(): void {
  read()
  window.addEventListener('hashchange', read)
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
  const { hash, pathname } = window.location
  const offered = credentialsInFragment(hash)
  if (offered) {
    window.history.replaceState(null, '', `${pathname}${present.fragment}`)
    change({ ...present, offered })
  } else change({ ...present, fragment: hash })
}

function change(next: AddressBar): void {
  present = next
  for (const listener of listeners) listener()
}
