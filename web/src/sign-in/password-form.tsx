import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Session } from '../api/http.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { signInByName } from './session-requests.ts'

/** Asks for name and password. */
export function PasswordForm({ onSession }: { onSession: (session: Session) => void }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ErrorText | null>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (name.trim() === '' || password === '') {
      setProblem({ title: t('accounts.fill-in'), hint: t('accounts.fill-in-hint') })
      return
    }
    setBusy(true)
    setProblem(null)
    try {
      // Where several projects have somebody of this name, the address says which: /sign-in?project=<id>.
      const projectId = new URLSearchParams(window.location.search).get('project')
      onSession(await signInByName({ name: name.trim(), password, projectId }))
    } catch (error) {
      setProblem(problemText(error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <Field
        label={t('accounts.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        dir="ltr"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
      />
      <Field
        label={t('accounts.password')}
        type="password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        dir="ltr"
        name="password"
        autoComplete="current-password"
        maxLength={1000}
      />
      <Button kind="primary" type="submit" busy={busy} className="w-full">
        {t(busy ? 'host.signing-in' : 'host.sign-in')}
      </Button>
    </form>
  )
}

function problemText(error: unknown): ErrorText {
  if (!(error instanceof ApiError) || error.status !== 401) return apiErrorText(error)
  return { title: t('accounts.password-wrong'), hint: t('accounts.password-wrong-hint') }
}
