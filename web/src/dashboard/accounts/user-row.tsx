import { useMutation, useQueryClient } from '@tanstack/react-query'
import { EllipsisVertical, KeyRound, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { usePerson } from '../../api/signed-in-access.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type InvitedUser, type Role, USERS_KEY, type User } from './accounts-queries.ts'
import { RoleSelect } from './role-select.tsx'

interface UserRowProps {
  user: User
  onInvited: (user: InvitedUser) => void
}

/** One user: role, last sign-in, and what an owner can do. */
export function UserRow({ user, onInvited }: UserRowProps) {
  const { client } = useDashboard()
  const person = usePerson()
  const queries = useQueryClient()
  const [asking, setAsking] = useState<'remove' | 'reset' | null>(null)
  const params = { path: { id: user.id } }
  const refresh = () => queries.invalidateQueries({ queryKey: USERS_KEY })
  const setRole = useMutation({
    mutationFn: (role: Role) =>
      answerOf(client.PUT('/api/management/users/{id}', { params, body: { role } })),
    onSettled: refresh,
  })
  const change = useMutation({
    mutationFn: async (what: 'remove' | 'reset') => {
      if (what === 'reset') return answerOf(client.POST('/api/management/users/{id}/reset', { params }))
      await answerOf(client.DELETE('/api/management/users/{id}', { params }))
      return null
    },
    onSuccess: async (invited) => {
      setAsking(null)
      await refresh()
      if (invited) onInvited(invited)
    },
  })
  const { name } = user
  const roleProblem = setRole.error && apiErrorText(setRole.error)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3">
      <div className="min-w-48 flex-1">
        <p className="truncate font-medium">
          <bdi>{name}</bdi>
          {person?.id === user.id && (
            <span className="ms-2 rounded-full bg-accent-soft px-2 py-0.5 text-xs text-accent-strong">
              {t('accounts.you')}
            </span>
          )}
        </p>
        <p className="text-sm text-ink-soft">{stateText(user)}</p>
      </div>
      <div className="w-44">
        <RoleSelect
          label={t('accounts.role-of', { name })}
          labelHidden
          value={user.role}
          disabled={setRole.isPending}
          onChange={(role) => setRole.mutate(role)}
        />
      </div>
      <Menu
        trigger={
          <IconButton label={t('accounts.more-about', { name })}>
            <EllipsisVertical className="size-4.5" />
          </IconButton>
        }
      >
        {user.signs_in_with !== 'openid' && (
          <MenuItem icon={<KeyRound className="size-4" />} onSelect={() => setAsking('reset')}>
            {t('accounts.reset')}
          </MenuItem>
        )}
        <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setAsking('remove')}>
          {t('accounts.remove')}
        </MenuItem>
      </Menu>
      {roleProblem && (
        <Notice tone="danger" title={roleProblem.title} hint={roleProblem.hint} className="w-full" />
      )}
      {asking && (
        <Confirm
          open
          onOpenChange={(open) => !open && setAsking(null)}
          title={t(asking === 'reset' ? 'accounts.reset-question' : 'accounts.remove-question', { name })}
          description={t(asking === 'reset' ? 'accounts.reset-hint' : 'accounts.remove-hint', { name })}
          action={t(asking === 'reset' ? 'accounts.reset' : 'accounts.remove')}
          busy={change.isPending}
          problem={change.error ? apiErrorText(change.error) : null}
          onConfirm={() => change.mutate(asking)}
        />
      )}
    </li>
  )
}

function stateText({ signs_in_with, last_sign_in_at }: User): string {
  if (signs_in_with === 'invited') return t('accounts.state-invited')
  if (last_sign_in_at === null) return t('accounts.never-signed-in')
  const time = dateText(last_sign_in_at, { dateStyle: 'medium', timeStyle: 'short' })
  return t('accounts.last-sign-in', { time })
}
