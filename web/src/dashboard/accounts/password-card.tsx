import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { NewPasswordField } from '../../sign-in/new-password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { SESSIONS_KEY } from './accounts-queries.ts'

/** Changes the own password. */
export function PasswordCard({ hasPassword }: { hasPassword: boolean }) {
  return (
    <Card title={t('accounts.change-password')}>
      {hasPassword ? <PasswordForm /> : <p className="text-sm text-ink-soft">{t('accounts.by-provider')}</p>}
    </Card>
  )
}

function PasswordForm() {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () =>
      answerOf(client.PUT('/api/dashboard/password', { body: { current_password: current, password } })),
    onSuccess: async () => {
      setCurrent('')
      setPassword('')
      await queries.invalidateQueries({ queryKey: SESSIONS_KEY })
    },
  })
  const about = (field: string) => (change.error instanceof ApiError ? change.error.about(field) : null)
  const isField = about('current_password') !== null || about('password') !== null
  const problem = change.error && !isField ? apiErrorText(change.error) : null

  function submit(event: FormEvent): void {
    event.preventDefault()
    change.mutate()
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {change.isSuccess && (
        <Notice
          tone="info"
          title={t('accounts.password-changed')}
          hint={t('accounts.password-changed-hint')}
        />
      )}
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <Field
        label={t('accounts.current-password')}
        error={about('current_password')}
        type="password"
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        dir="ltr"
        autoComplete="current-password"
        maxLength={1000}
      />
      <NewPasswordField value={password} onChange={setPassword} error={about('password')} />
      <Button kind="primary" type="submit" busy={change.isPending}>
        {t('accounts.change-password')}
      </Button>
    </form>
  )
}
