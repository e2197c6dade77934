import { useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from '../address-bar.ts'
import type { Credentials } from '../api/http.ts'

/** Credentials that came with a link and wait for an answer; null where there are none. */
export function useOfferedCredentials(): Credentials | null {
  return useSyncExternalStore(subscribeAddressBar, () => addressBar().offered)
}
