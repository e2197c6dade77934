import { useCallback, useState } from 'react'
import type { Credentials } from '../api/http.ts'
import { createParleyApi } from '../api/parley-api.ts'
import { forgetCredentials, loadCredentials, saveCredentials } from './credentials.ts'

export interface SignIn {
  /** Null while nobody is signed in. */
  credentials: Credentials | null
  /** Whether this device will still know them after the tab is closed. */
  remembered: boolean
  /** Checks the credentials with the server, then keeps them. Rejects with ApiError and keeps nothing. */
  signIn: (credentials: Credentials, remember: boolean) => Promise<void>
  remember: () => void
  signOut: () => void
}

/** Who is signed in on this page, kept over a reload, with what changes it. */
export function useSignIn(): SignIn {
  const [state, setState] = useState(() => {
    const stored = loadCredentials()
    return {
      credentials: stored && { projectId: stored.projectId, apiToken: stored.apiToken },
      remembered: stored?.remembered ?? false,
    }
  })

  const signIn = useCallback(async (credentials: Credentials, remember: boolean) => {
    await createParleyApi(credentials).getProject()
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
