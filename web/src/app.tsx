import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { dropOffer } from './address-bar.ts'
import { ApiProvider } from './api/api-context.tsx'
import { ApiError } from './api/api-error.ts'
import type { ErrorText } from './api/error-text.ts'
import type { Credentials } from './api/http.ts'
import { createParleyApi } from './api/parley-api.ts'
import { ConferencePage } from './conference/conference-page.tsx'
import { LobbyPage } from './lobby/lobby-page.tsx'
import { NothingHere } from './nothing-here.tsx'
import { GuestVisit } from './room/guest-visit.tsx'
import { MemberVisit } from './room/member-visit.tsx'
import { ChangeProjectDialog } from './sign-in/change-project-dialog.tsx'
import { SignInPage } from './sign-in/sign-in-page.tsx'
import { useOfferedCredentials } from './sign-in/use-offered-credentials.ts'
import { useSignIn } from './sign-in/use-sign-in.ts'
import { ToastProvider } from './ui/toasts.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'
import { goTo, useRoute } from './use-route.ts'

const signedOut: ErrorText = {
  title: 'You were signed out',
  hint: 'The server does not accept the API token any more. Sign in with the current one.',
}

export function App() {
  return (
    <TooltipProvider>
      <ToastProvider>
        <Screens />
      </ToastProvider>
    </TooltipProvider>
  )
}

function Screens() {
  const offer = useOfferedCredentials()
  const route = useRoute()
  const { credentials, remembered, signIn, remember, signOut } = useSignIn()
  const [notice, setNotice] = useState<ErrorText | null>(null)

  const signedIn = useMemo(() => {
    if (!credentials) return null
    const refused = (error: Error) => {
      if (!(error instanceof ApiError) || error.status !== 401) return
      setNotice(signedOut)
      signOut()
    }
    return { api: createParleyApi(credentials), queries: createQueries(refused) }
  }, [credentials, signOut])

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

  if (!signedIn || !credentials) {
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
    // A screen keeps the API client that it started with. Another project gets a new screen.
    <QueryClientProvider key={`${credentials.projectId} ${credentials.apiToken}`} client={signedIn.queries}>
      <ApiProvider value={signedIn.api}>
        {route.screen === 'visit' ? (
          <MemberVisit key={route.roomName} roomName={route.roomName} />
        ) : (
          <LobbyPage
            projectId={credentials.projectId}
            roomName={route.roomName}
            remembered={remembered}
            onRemember={remember}
            onSignOut={signOut}
          />
        )}
      </ApiProvider>
    </QueryClientProvider>,
  )
}

function isSameProject(one: Credentials, other: Credentials | null): boolean {
  return one.projectId === other?.projectId && one.apiToken === other.apiToken
}

/**
 * Creates the cache of fetched data for one project. A refusal is final. A request that failed because of the network
 * is repeated.
 */
function createQueries(onError: (error: Error) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status >= 400),
        networkMode: 'always',
        staleTime: 1_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
}
