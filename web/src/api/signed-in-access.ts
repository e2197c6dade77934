import { createContext, use } from 'react'
import { type Access, isSession, type Right, type Session } from './http.ts'

/** Who has an API token finds out by the answers what it may do. */
const EVERYTHING: readonly Right[] = ['read', 'operate', 'administer']

const AccessContext = createContext<Access | null>(null)

/** Tells all components below it who signed in. */
export const AccessProvider = AccessContext.Provider

/** All that the person may do, as far as the page knows. */
export function useRights(): readonly Right[] {
  const access = use(AccessContext)
  return access && isSession(access) ? access.may : EVERYTHING
}

/** Whether the person may do something. What somebody may not do is not offered. */
export const useMay = (right: Right): boolean => useRights().includes(right)

/** The user who signed in; null for an API token. */
export function usePerson(): Session['person'] | null {
  const access = use(AccessContext)
  return access && isSession(access) ? access.person : null
}
