import { useCallback, useState } from 'react'
import type { Access, Credentials, Session } from '../api/http.ts'
import { forgetCredentials, loadCredentials, saveCredentials } from './credentials.ts'

export interface SignIn {
  /** Null while nobody is signed in. */
  credentials: Access | null
  /** Whether this device keeps the credentials after the tab is closed. */
  remembered: boolean
  /** Checks the credentials with the server, then stores them. Rejects with ApiError, and stores nothing then. */
  signIn: (credentials: Credentials, remember: boolean) => Promise<void>
  /** Takes up the session of a user, which the browser keeps. */
  takeSession: (session: Session) => void
  remember: () => void
  signOut: () => void
}

/** The page's sign-in state, which survives a reload, and functions to change it. */
export function useSignIn(): SignIn {
  const [state, setState] = useState<{ credentials: Access | null; remembered: boolean }>(() => {
    const stored = loadCredentials()
    return {
      credentials: stored && { projectId: stored.projectId, apiToken: stored.apiToken },
      remembered: stored?.remembered ?? false,
    }
  })

  const signIn = useCallback(async (credentials: Credentials, remember: boolean) => {
    // Guests never need it.
    const { fetchProject } = await import('../api/http.ts')
    await fetchProject(credentials)
    saveCredentials(credentials, remember)
    setState({ credentials, remembered: remember })
  }, [])

  const takeSession = useCallback((session: Session) => {
    // An API token of before would come back with the next reload.
    forgetCredentials()
    setState({ credentials: session, remembered: true })
  }, [])

  const remember = useCallback(() => {
    setState((present) => {
      if (present.credentials && 'apiToken' in present.credentials) saveCredentials(present.credentials, true)
      return { ...present, remembered: true }
    })
  }, [])

  const { credentials } = state
  const signOut = useCallback(() => {
    forgetCredentials()
    if (credentials && 'csrfToken' in credentials) void endSessionOf(credentials)
    setState({ credentials: null, remembered: false })
  }, [credentials])

  return { ...state, signIn, takeSession, remember, signOut }
}

/** Ends a session that may be over. Without the network it ends by itself later. */
async function endSessionOf(session: Session): Promise<void> {
  const { endSession } = await import('./session-requests.ts')
  await endSession(session).catch(() => {})
}
