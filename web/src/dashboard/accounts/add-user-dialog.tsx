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
import { type InvitedUser, type Role, USERS_KEY } from './accounts-queries.ts'
import { RoleSelect } from './role-select.tsx'

interface AddUserDialogProps {
  onClose: () => void
  onAdded: (user: InvitedUser) => void
}

/** Asks whom to add. */
export function AddUserDialog({ onClose, onAdded }: AddUserDialogProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('operator')
  const add = useMutation({
    mutationFn: async () =>
      answerOf(client.POST('/api/management/users', { body: { name: name.trim(), role } })),
    onSuccess: async (user) => {
      await queries.invalidateQueries({ queryKey: USERS_KEY })
      onAdded(user)
    },
  })
  const about = add.error instanceof ApiError ? add.error.about('name') : null
  const problem = add.error && about === null ? apiErrorText(add.error) : null

  function submit(event: FormEvent): void {
    event.preventDefault()
    add.mutate()
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('accounts.add-user')}>
      <form onSubmit={submit} noValidate className="space-y-4">
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        <Field
          label={t('accounts.choose-name')}
          hint={t('accounts.choose-name-hint')}
          error={about}
          value={name}
          onChange={(event) => setName(event.target.value)}
          dir="ltr"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
        />
        <div>
          <RoleSelect label={t('accounts.role')} value={role} onChange={setRole} />
          <p className="mt-1.5 text-sm text-ink-soft">{t('accounts.role-hint')}</p>
        </div>
        <Button kind="primary" type="submit" busy={add.isPending} className="w-full">
          {t('accounts.add-user')}
        </Button>
      </form>
    </Dialog>
  )
}
