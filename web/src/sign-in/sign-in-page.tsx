import { useEffect, useState } from 'react'
import type { Credentials, Session } from '../api/http.ts'
import { readStored, writeStored } from '../browser-storage.ts'
import { t } from '../languages/texts.ts'
import { buttonClass } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { classNames } from '../ui/class-names.ts'
import { Notice } from '../ui/notice.tsx'
import { PasswordForm } from './password-form.tsx'
import { fetchProviderName } from './session-requests.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import { TokenForm } from './token-form.tsx'

interface SignInPageProps {
  offered: Credentials | null
  wasSignedOut: boolean
  isSignInAddress: boolean
  onSignIn: (credentials: Credentials, remember: boolean) => Promise<void>
  onSession: (session: Session) => void
}

type Way = 'password' | 'token'

/** Name of the stored choice. */
const storageKey = 'parley.sign-in-way'

/** Asks who it is: by name and password, by the OpenID provider of the server, or by an API token. */
export function SignInPage({ offered, wasSignedOut, isSignInAddress, onSignIn, onSession }: SignInPageProps) {
  const [way, setWay] = useState<Way>(() => {
    if (offered) return 'token'
    return isSignInAddress || readStored('device', storageKey) === 'password' ? 'password' : 'token'
  })
  const provider = useProviderName()
  const problem = new URLSearchParams(window.location.search).get('problem')

  function keep(used: Way): void {
    writeStored('device', storageKey, used)
  }

  return (
    <SignInFrame
      title={t('host.welcome')}
      hint={t(way === 'token' ? 'host.welcome-hint' : 'accounts.password-hint')}
    >
      <div className="mt-8 space-y-5">
        {problem && <ProviderProblem problem={problem} />}
        {wasSignedOut && (
          <Notice
            tone="warning"
            title={t('host.signed-out')}
            hint={t(way === 'token' ? 'host.signed-out-hint' : 'accounts.session-over-hint')}
          />
        )}
        {provider !== null && (
          <a
            href={`/page/openid/start?${new URLSearchParams({ to: wantedPath(isSignInAddress) })}`}
            className={classNames(buttonClass(), 'w-full')}
          >
            <span className="truncate">{t('accounts.with-provider', { provider })}</span>
          </a>
        )}
        <Choice
          label={t('accounts.way')}
          labelHidden
          value={way}
          options={[
            { value: 'password', label: t('accounts.way-password') },
            { value: 'token', label: t('accounts.way-token') },
          ]}
          onChange={setWay}
        />
        {way === 'password' ? (
          <PasswordForm
            onSession={(session) => {
              keep('password')
              onSession(session)
            }}
          />
        ) : (
          <TokenForm
            offered={offered}
            onSignIn={async (credentials, remember) => {
              await onSignIn(credentials, remember)
              keep('token')
            }}
          />
        )}
      </div>
    </SignInFrame>
  )
}

/** Where the provider leads back to: the screen that the person wanted. */
const wantedPath = (isSignInAddress: boolean): string =>
  isSignInAddress ? '/dashboard' : window.location.pathname + window.location.search

function useProviderName(): string | null {
  const [name, setName] = useState<string | null>(null)
  useEffect(() => {
    void fetchProviderName().then(setName)
  }, [])
  return name
}

const problems = [
  'openid-unreachable',
  'openid-refused',
  'openid-expired',
  'openid-no-role',
  'openid-name-taken',
] as const

function ProviderProblem({ problem }: { problem: string }) {
  const known = problems.find((one) => one === problem)
  if (!known) return null
  return <Notice tone="danger" title={t(`accounts.${known}`)} hint={t('accounts.openid-hint')} />
}
