import type { Credentials } from './api/http.ts'
import { credentialsInFragment } from './sign-in/credentials.ts'

/** What the fragment of the address bar says: where in the page somebody is, and credentials that came with a link. */
interface AddressBar {
  /** With its `#`, or empty. Credentials never stand here. */
  fragment: string
  /** Null where there are none, or they were taken. */
  offered: Credentials | null
}

let present: AddressBar = { fragment: '', offered: null }
const listeners = new Set<() => void>()

/**
 * Reads the address bar now and whenever it changes. Credentials are taken out of it at once, so that they are neither
 * shown nor kept in the history; what was open before stays open.
 */
export function watchAddressBar(): void {
  read()
  window.addEventListener('hashchange', read)
}

/** Calls the listener at each change of {@link addressBar}. @returns stops that */
export function subscribeAddressBar(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What the address bar says now. The same object until it changes, as React's stores want it. */
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
