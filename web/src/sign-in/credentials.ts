import type { Credentials } from '../api/http.ts'
import { readStored, writeStored } from '../browser-storage.ts'

const storageKey = 'parley.credentials'

/**
 * Reads credentials from a link such as `/#project=<id>&token=<API token>`. Unlike a query, a fragment is neither sent
 * to a server nor written to its log.
 * @param fragment with or without its `#`
 */
export function credentialsInFragment(fragment: string): Credentials | null {
  const values = new URLSearchParams(fragment.replace(/^#/, ''))
  const projectId = values.get('project')
  const apiToken = values.get('token')
  return projectId && apiToken ? { projectId, apiToken } : null
}

/** Loads the credentials stored for this tab, or else for this device. */
export function loadCredentials(): (Credentials & { remembered: boolean }) | null {
  const ofTab = parse(readStored('tab', storageKey))
  if (ofTab) return { ...ofTab, remembered: readStored('device', storageKey) !== null }
  const ofDevice = parse(readStored('device', storageKey))
  return ofDevice && { ...ofDevice, remembered: true }
}

/** @param remember whether to keep them on this device; otherwise they are kept until this tab closes */
export function saveCredentials(credentials: Credentials, remember: boolean): void {
  const text = JSON.stringify({ projectId: credentials.projectId, apiToken: credentials.apiToken })
  writeStored('tab', storageKey, text)
  writeStored('device', storageKey, remember ? text : null)
}

/** Signs out in this tab. Also deletes the credentials stored on this device. */
export function forgetCredentials(): void {
  writeStored('tab', storageKey, null)
  writeStored('device', storageKey, null)
}

function parse(text: string | null): Credentials | null {
  if (!text) return null
  try {
    const value = JSON.parse(text) as Partial<Credentials> | null
    if (typeof value?.projectId !== 'string' || typeof value.apiToken !== 'string') return null
    return { projectId: value.projectId, apiToken: value.apiToken }
  } catch {
    return null
  }
}
