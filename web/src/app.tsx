import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { dropOffer } from './address-bar.ts'
import type { ErrorText } from './api/error-text.ts'
import type { Credentials } from './api/http.ts'
import { GuestVisit } from './room/guest-visit.tsx'
import { useOfferedCredentials } from './sign-in/use-offered-credentials.ts'
import { useSignIn } from './sign-in/use-sign-in.ts'
import { ToastProvider } from './ui/toasts.tsx'
import { goTo, useRoute } from './use-route.ts'

// A guest with an invitation needs none of these. They are chunks of their own.
const ConferencePage = lazy(async () => ({
  default: (await import('./conference/conference-page.tsx')).ConferencePage,
}))
const NothingHere = lazy(async () => ({ default: (await import('./nothing-here.tsx')).NothingHere }))
const ChangeProjectDialog = lazy(async () => ({
  default: (await import('./sign-in/change-project-dialog.tsx')).ChangeProjectDialog,
}))
const SignInPage = lazy(async () => ({ default: (await import('./sign-in/sign-in-page.tsx')).SignInPage }))
const SignedIn = lazy(async () => ({ default: (await import('./signed-in.tsx')).SignedIn }))

const signedOut: ErrorText = {
  title: 'You were signed out',
  hint: 'The server does not accept the API token any more. Sign in with the current one.',
}

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
  const { credentials, remembered, signIn, remember, signOut } = useSignIn()
  const [notice, setNotice] = useState<ErrorText | null>(null)

  const refused = useCallback(() => {
    setNotice(signedOut)
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
            setNotice(null)
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

  if (route.screen === 'conference') return mayAsk(<ConferencePage key={route.name} name={route.name} />)
  if (route.screen === 'nothing') return mayAsk(<NothingHere />)

  if (!credentials) {
    return (
      <SignInPage
        key={offer?.apiToken}
        offered={offer}
        notice={notice}
        onSignIn={async (entered, keep) => {
          await signIn(entered, keep)
          dropOffer()
          setNotice(null)
        }}
      />
    )
  }

  return mayAsk(
    <SignedIn
      // Another project gets new screens.
      key={`${credentials.projectId} ${credentials.apiToken}`}
      credentials={credentials}
      route={route}
      remembered={remembered}
      onRemember={remember}
      onSignOut={signOut}
      onRefused={refused}
    />,
  )
}

function isSameProject(one: Credentials, other: Credentials | null): boolean {
  return one.projectId === other?.projectId && one.apiToken === other.apiToken
}
