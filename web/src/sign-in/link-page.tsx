import { type FormEvent, useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Session } from '../api/http.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { NewPasswordField } from './new-password-field.tsx'
import { acceptSignInLink, readSignInLink, type SignInLink } from './session-requests.ts'
import { SignInFrame } from './sign-in-frame.tsx'

interface LinkPageProps {
  /** The secret of the one-time link. */
  secret: string
  onSession: (session: Session) => void
  onLeave: () => void
}

/** What a one-time link leads to: the choice of a password, and for an owner of a name. */
export function LinkPage({ secret, onSession, onLeave }: LinkPageProps) {
  const [link, setLink] = useState<SignInLink | null>(null)
  const [problem, setProblem] = useState<ErrorText | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    readSignInLink(secret, abort.signal).then(
      setLink,
      (error: unknown) => !abort.signal.aborted && setProblem(linkProblem(error)),
    )
    return () => abort.abort()
  }, [secret])

  if (problem) {
    return (
      <SignInFrame title={problem.title} hint={problem.hint}>
        <Button kind="primary" className="mt-8" onClick={onLeave}>
          {t('accounts.to-sign-in')}
        </Button>
      </SignInFrame>
    )
  }
  if (!link) {
    return (
      <main className="grid min-h-full place-items-center">
        <Spinner className="size-6 text-ink-soft" />
      </main>
    )
  }
  return (
    <SignInFrame
      title={t('accounts.invited', { project: link.project.name })}
      hint={t('accounts.invited-hint')}
    >
      <AcceptForm link={link} secret={secret} onSession={onSession} onVoid={setProblem} />
    </SignInFrame>
  )
}

interface AcceptFormProps {
  link: SignInLink
  secret: string
  onSession: (session: Session) => void
  onVoid: (problem: ErrorText) => void
}

function AcceptForm({ link, secret, onSession, onVoid }: AcceptFormProps) {
  const [name, setName] = useState(link.name ?? '')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<unknown>(null)
  const isAbout = (field: string) => (refusal instanceof ApiError ? refusal.about(field) : null)
  const isField = isAbout('name') !== null || isAbout('password') !== null
  const problem = refusal === null || isField ? null : apiErrorText(refusal)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setBusy(true)
    setRefusal(null)
    try {
      const chosen = link.name === null ? name.trim() : null
      onSession(await acceptSignInLink(secret, { name: chosen, password }))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onVoid(linkProblem(error))
      setRefusal(error)
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="mt-8 space-y-4">
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <p className="text-sm text-ink-soft">
        {t('accounts.your-role', { role: t(`accounts.role-${link.role}`) })}
      </p>
      <Field
        label={t('accounts.choose-name')}
        hint={link.name === null ? t('accounts.choose-name-hint') : undefined}
        error={isAbout('name')}
        value={name}
        readOnly={link.name !== null}
        onChange={(event) => setName(event.target.value)}
        dir="ltr"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
      />
      <NewPasswordField value={password} onChange={setPassword} error={isAbout('password')} />
      <Button kind="primary" type="submit" busy={busy} className="w-full">
        {t('accounts.accept')}
      </Button>
    </form>
  )
}

function linkProblem(error: unknown): ErrorText {
  if (!(error instanceof ApiError) || error.status !== 401) return apiErrorText(error)
  return { title: t('accounts.link-void'), hint: t('accounts.link-void-hint') }
}
