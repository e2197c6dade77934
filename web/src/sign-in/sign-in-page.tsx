import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Credentials } from '../api/http.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Logo } from '../ui/logo.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Switch } from '../ui/switch.tsx'
import { NewTokenHint } from './new-token-hint.tsx'

interface SignInPageProps {
  /** Credentials from the link. They are tried at once. */
  offered: Credentials | null
  /** Shown above the form, such as the reason why the project was signed out. */
  notice: ErrorText | null
  onSignIn: (credentials: Credentials, remember: boolean) => Promise<void>
}

/** Asks for the project's id and API token. */
export function SignInPage({ offered, notice, onSignIn }: SignInPageProps) {
  const [projectId, setProjectId] = useState(offered?.projectId ?? '')
  const [apiToken, setApiToken] = useState(offered?.apiToken ?? '')
  const [remember, setRemember] = useState(false)
  const [busy, setBusy] = useState(offered !== null)
  const [problem, setProblem] = useState<ErrorText | null>(null)
  /** The project id of the last attempt, if the server refused the credentials. */
  const [refusedProject, setRefusedProject] = useState<string | null>(null)
  const offerTried = useRef(false)

  async function attempt(credentials: Credentials): Promise<void> {
    setBusy(true)
    setProblem(null)
    setRefusedProject(null)
    try {
      await onSignIn(credentials, remember)
    } catch (error) {
      setProblem(apiErrorText(error))
      if (error instanceof ApiError && error.status === 401) setRefusedProject(credentials.projectId)
      setBusy(false)
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once, when the page opens
  useEffect(() => {
    if (!offered || offerTried.current) return
    offerTried.current = true
    void attempt(offered)
  }, [])

  function submit(event: FormEvent): void {
    event.preventDefault()
    const credentials = { projectId: projectId.trim(), apiToken: apiToken.trim() }
    if (!credentials.projectId || !credentials.apiToken) {
      setProblem({
        title: 'Fill in both fields',
        hint: 'The server printed both values when it first started.',
      })
      return
    }
    void attempt(credentials)
  }

  return (
    <main className="grid min-h-full place-items-center px-5 py-10">
      <div className="w-full max-w-sm">
        <Logo className="mb-6 size-12" />
        <h1 className="text-2xl font-semibold tracking-tight">Welcome to Parley</h1>
        <p className="mt-2 text-ink-soft">
          Video rooms on your own server. Sign in with the project that the server printed when it first
          started.
        </p>
        <form onSubmit={submit} noValidate className="mt-8 space-y-4">
          {notice && !problem && <Notice tone="warning" title={notice.title} hint={notice.hint} />}
          {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
          <Field
            label="Project id"
            value={projectId}
            onChange={(event) => setProjectId(event.target.value)}
            name="project"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
          />
          <Field
            label="API token"
            type="password"
            value={apiToken}
            onChange={(event) => setApiToken(event.target.value)}
            name="token"
            autoComplete="current-password"
          />
          <div className="py-1">
            <Switch
              label="Remember on this device"
              hint="Leave it off on a device that others use."
              checked={remember}
              onChange={setRemember}
            />
          </div>
          <Button kind="primary" type="submit" disabled={busy} aria-busy={busy} className="w-full">
            {busy && <Spinner />}
            {busy ? 'Signing in…' : 'Sign in'}
          </Button>
          {refusedProject !== null && <NewTokenHint projectId={refusedProject} />}
        </form>
      </div>
    </main>
  )
}
