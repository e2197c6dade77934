import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type FreshApiToken, type Scope, TOKENS_KEY } from './accounts-queries.ts'

/** Scopes that an operation of this server takes. */
const OFFERED: readonly Scope[] = ['calling', 'chat', 'management', 'messaging', 'pubsub', 'video']

interface NewTokenDialogProps {
  onClose: () => void
  onMade: (token: FreshApiToken) => void
}

/** Asks what a new API token is for. */
export function NewTokenDialog({ onClose, onMade }: NewTokenDialogProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(['video'])
  const make = useMutation({
    mutationFn: () =>
      answerOf(
        client.POST('/api/management/api_tokens', { body: { name: name.trim(), scopes: [...scopes] } }),
      ),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: TOKENS_KEY })
      onMade(made)
    },
  })
  const about = make.error instanceof ApiError ? make.error.about('name') : null
  const problem = make.error && about === null ? apiErrorText(make.error) : null

  function submit(event: FormEvent): void {
    event.preventDefault()
    make.mutate()
  }

  function toggle(scope: Scope): void {
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('accounts.new-token')}>
      <form onSubmit={submit} noValidate className="space-y-4">
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        <Field
          label={t('accounts.token-name')}
          error={about}
          value={name}
          onChange={(event) => setName(event.target.value)}
          autoComplete="off"
          maxLength={200}
        />
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium text-ink">{t('accounts.token-scopes')}</legend>
          <div className="grid grid-cols-2 gap-x-4">
            {OFFERED.map((scope) => (
              <label key={scope} className="flex min-h-10 cursor-pointer items-center gap-2.5 text-sm">
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={() => toggle(scope)}
                  className="size-4.5 accent-accent"
                />
                <span dir="ltr" className="font-mono">
                  {scope}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        <Button kind="primary" type="submit" busy={make.isPending} className="w-full">
          {t('accounts.create-token')}
        </Button>
      </form>
    </Dialog>
  )
}
