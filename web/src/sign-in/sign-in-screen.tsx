import { useEffect, useState, useSyncExternalStore } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { addressBar, subscribeAddressBar } from '../address-bar.ts'
import type { Credentials, Session } from '../api/http.ts'
import { goTo } from '../use-route.ts'
import { LinkPage } from './link-page.tsx'
import { fetchSession, mayHaveSession } from './session-requests.ts'
import { SignInPage } from './sign-in-page.tsx'

interface SignInScreenProps {
  /** Credentials from the link. They are tried at once. */
  offered: Credentials | null
  /** Whether the server has refused the credentials that were in use. */
  wasSignedOut: boolean
  /** Whether the address is that of the sign-in page, and not of a screen that needs credentials. */
  isSignInAddress: boolean
  /** Whether somebody is signed in: only a one-time link has something to do then. */
  isSignedIn: boolean
  onSignIn: (credentials: Credentials, remember: boolean) => Promise<void>
  onSession: (session: Session) => void
}

/** A one-time link if the address has one; otherwise the sign-in page, unless the browser has a session. */
export function SignInScreen(props: SignInScreenProps) {
  const { isSignInAddress, isSignedIn, onSession } = props
  const { secret, drop } = useLinkSecret(isSignInAddress)
  const isAsking = useSession(secret === null && !isSignedIn, onSession)

  useEffect(() => {
    if (isSignInAddress && isSignedIn && secret === null) goTo({ screen: 'dashboard' })
  }, [isSignInAddress, isSignedIn, secret])

  if (secret !== null) {
    const accepted = (session: Session) => {
      onSession(session)
      drop()
    }
    return <LinkPage key={secret} secret={secret} onSession={accepted} onLeave={drop} />
  }
  if (isAsking || isSignedIn) return null
  return <SignInPage {...props} key={props.offered?.apiToken} />
}

/** The secret of a one-time link. It is taken out of the address bar at once. */
function useLinkSecret(isSignInAddress: boolean): { secret: string | null; drop: () => void } {
  const { fragment } = useSyncExternalStore(subscribeAddressBar, addressBar)
  const [secret, setSecret] = useState<string | null>(null)
  const given = isSignInAddress ? /^#(?:owner|invitation)=([\w-]+)$/.exec(fragment)?.[1] : undefined
  useEffect(() => {
    if (given === undefined) return
    setSecret(given)
    navigate('/sign-in', { replace: true })
  }, [given])
  return { secret: given ?? secret, drop: () => setSecret(null) }
}

/** Takes up the session that the browser may have. @returns whether that is not known yet */
function useSession(isWanted: boolean, onSession: (session: Session) => void): boolean {
  const [isAsking, setAsking] = useState(isWanted && mayHaveSession())
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when the screen opens
  useEffect(() => {
    if (!isAsking) return
    const abort = new AbortController()
    fetchSession(abort.signal).then(
      (session) => {
        if (session) onSession(session)
        setAsking(false)
      },
      () => !abort.signal.aborted && setAsking(false),
    )
    return () => abort.abort()
  }, [])
  return isAsking
}
