import { useSyncExternalStore } from 'react'
import { addressBar, subscribeAddressBar } from '../address-bar.ts'
import type { Credentials } from '../api/http.ts'

/** Credentials from a link that the person has not accepted or declined yet. Null if there are none. */
export function useOfferedCredentials(): Credentials | null {
  return useSyncExternalStore(subscribeAddressBar, () => addressBar().offered)
}
