import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { dropOffer } from './address-bar.ts'
import type { Access, Credentials } from './api/http.ts'
import { loadTexts } from './languages/current-language.ts'
import { GuestVisit } from './room/guest-visit.tsx'
import { ConferenceScreen, EmbedScreen, NothingScreen, WatchScreen } from './screens-of-links.tsx'
import { useOfferedCredentials } from './sign-in/use-offered-credentials.ts'
import { useSignIn } from './sign-in/use-sign-in.ts'
import { ToastProvider } from './ui/toasts.tsx'
import { goTo, useRoute } from './use-route.ts'

// A guest with an invitation needs none of these. They are chunks of their own.
const ChangeProjectDialog = lazy(async () => {
  const [{ ChangeProjectDialog }] = await Promise.all([
    import('./sign-in/change-project-dialog.tsx'),
    loadTexts('host', 'errors'),
  ])
  return { default: ChangeProjectDialog }
})
const SignInScreen = lazy(async () => {
  const [{ SignInScreen }] = await Promise.all([
    import('./sign-in/sign-in-screen.tsx'),
    loadTexts('accounts', 'host', 'errors'),
  ])
  return { default: SignInScreen }
})
const SignedIn = lazy(async () => {
  const [{ SignedIn }] = await Promise.all([
    import('./signed-in.tsx'),
    loadTexts('chat', 'panels', 'meeting', 'errors', 'host'),
  ])
  return { default: SignedIn }
})

export function App() {
  return (
    <ToastProvider>
      <Suspense fallback={null}>
        <Screens />
      </Suspense>
    </ToastProvider>
  )
}

function Screens() {
  const offer = useOfferedCredentials()
  const route = useRoute()
  const { credentials, remembered, signIn, takeSession, remember, signOut } = useSignIn()
  const [wasSignedOut, setSignedOut] = useState(false)

  const refused = useCallback(() => {
    setSignedOut(true)
    signOut()
  }, [signOut])

  const isSame = offer !== null && isSameProject(offer, credentials)
  useEffect(() => {
    if (isSame) dropOffer()
  }, [isSame])

  const mayAsk = (screen: ReactNode) => (
    <>
      {screen}
      {offer && !isSame && (
        <ChangeProjectDialog
          offered={offer}
          present={credentials}
          onAccept={async () => {
            await signIn(offer, false)
            setSignedOut(false)
            dropOffer()
            goTo({ screen: 'lobby', roomName: null })
          }}
          onDecline={dropOffer}
        />
      )}
    </>
  )

  if (route.screen === 'guest') {
    return mayAsk(<GuestVisit key={route.roomToken} roomToken={route.roomToken} />)
  }

  if (route.screen === 'conference') return mayAsk(<ConferenceScreen key={route.name} name={route.name} />)
  if (route.screen === 'embed') return <EmbedScreen />
  if (route.screen === 'watch') return <WatchScreen key={route.link} link={route.link} />
  if (route.screen === 'nothing') return mayAsk(<NothingScreen />)

  if (!credentials || route.screen === 'sign-in') {
    return (
      <SignInScreen
        offered={offer}
        wasSignedOut={wasSignedOut}
        isSignInAddress={route.screen === 'sign-in'}
        isSignedIn={credentials !== null}
        onSession={(session) => {
          takeSession(session)
          setSignedOut(false)
        }}
        onSignIn={async (entered, keep) => {
          await signIn(entered, keep)
          dropOffer()
          setSignedOut(false)
        }}
      />
    )
  }

  return mayAsk(
    <SignedIn
      // Another project gets new screens.
      key={`${credentials.projectId} ${secretOf(credentials)}`}
      credentials={credentials}
      route={route}
      remembered={remembered}
      onRemember={remember}
      onSignOut={signOut}
      onRefused={refused}
    />,
  )
}

function isSameProject(one: Credentials, other: Access | null): boolean {
  return other !== null && one.projectId === other.projectId && one.apiToken === secretOf(other)
}

const secretOf = (access: Access): string => ('apiToken' in access ? access.apiToken : access.csrfToken)
