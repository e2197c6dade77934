import { useCallback, useState } from 'react'
import type { Credentials } from '../api/http.ts'
import { forgetCredentials, loadCredentials, saveCredentials } from './credentials.ts'

export interface SignIn {
  /** Null while nobody is signed in. */
  credentials: Credentials | null
  /** Whether this device keeps the credentials after the tab is closed. */
  remembered: boolean
  /** Checks the credentials with the server, then stores them. Rejects with ApiError, and stores nothing then. */
  signIn: (credentials: Credentials, remember: boolean) => Promise<void>
  remember: () => void
  signOut: () => void
}

/** The page's sign-in state, which survives a reload, and functions to change it. */
export function useSignIn(): SignIn {
  const [state, setState] = useState(() => {
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

  const remember = useCallback(() => {
    setState((present) => {
      if (present.credentials) saveCredentials(present.credentials, true)
      return { ...present, remembered: true }
    })
  }, [])

  const signOut = useCallback(() => {
    forgetCredentials()
    setState({ credentials: null, remembered: false })
  }, [])

  return { ...state, signIn, remember, signOut }
}
