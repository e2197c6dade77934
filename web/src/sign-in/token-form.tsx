import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Credentials } from '../api/http.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { Switch } from '../ui/switch.tsx'
import { NewTokenHint } from './new-token-hint.tsx'

interface TokenFormProps {
  /** Credentials from the link. They are tried at once. */
  offered: Credentials | null
  onSignIn: (credentials: Credentials, remember: boolean) => Promise<void>
}

/** Asks for the project's id and API token. */
export function TokenForm({ offered, onSignIn }: TokenFormProps) {
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
        title: t('host.fill-in-both'),
        hint: t('host.fill-in-both-hint'),
      })
      return
    }
    void attempt(credentials)
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <Field
        label={t('host.project-id')}
        value={projectId}
        onChange={(event) => setProjectId(event.target.value)}
        dir="ltr"
        name="project"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field
        label={t('host.api-token')}
        type="password"
        value={apiToken}
        onChange={(event) => setApiToken(event.target.value)}
        dir="ltr"
        name="token"
        autoComplete="current-password"
      />
      <div className="py-1">
        <Switch
          label={t('host.remember-here')}
          hint={t('host.remember-here-hint')}
          checked={remember}
          onChange={setRemember}
        />
      </div>
      <Button kind="primary" type="submit" disabled={busy} aria-busy={busy} className="w-full">
        {busy && <Spinner />}
        {t(busy ? 'host.signing-in' : 'host.sign-in')}
      </Button>
      {refusedProject !== null && <NewTokenHint projectId={refusedProject} />}
    </form>
  )
}
