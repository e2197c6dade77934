import { useQuery } from '@tanstack/react-query'
import { UserPlus, Users as UsersIcon } from 'lucide-react'
import { useState } from 'react'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { type InvitedUser, users } from './accounts-queries.ts'
import { AddUserDialog } from './add-user-dialog.tsx'
import { OwnersOnly } from './owners-only.tsx'
import { ShownOnce } from './shown-once.tsx'
import { UserRow } from './user-row.tsx'

/** The people who may sign in to the project. */
export function UsersScreen() {
  const { client } = useDashboard()
  const query = useQuery(users(client))
  const [isAdding, setAdding] = useState(false)
  const [invited, setInvited] = useState<InvitedUser | null>(null)

  const add = (
    <Button kind="primary" size="small" onClick={() => setAdding(true)}>
      <UserPlus aria-hidden className="size-4.5" />
      {t('accounts.add-user')}
    </Button>
  )
  const isEmpty = query.data?.data.length === 0
  return (
    <>
      <ScreenHead title={t('dashboard.users')}>{query.data && !isEmpty && add}</ScreenHead>
      <OwnersOnly error={query.error}>
        <Asking query={query} placeholder="h-40">
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState
                icon={<UsersIcon className="size-6" />}
                title={t('accounts.no-users')}
                hint={t('accounts.no-users-hint')}
              >
                {add}
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
                {data.map((user) => (
                  <UserRow key={user.id} user={user} onInvited={setInvited} />
                ))}
              </ul>
            )
          }
        </Asking>
      </OwnersOnly>
      {isAdding && (
        <AddUserDialog
          onClose={() => setAdding(false)}
          onAdded={(user) => {
            setAdding(false)
            setInvited(user)
          }}
        />
      )}
      {invited && (
        <ShownOnce
          title={t('accounts.link-for', { name: invited.name })}
          description={t('accounts.link-for-hint', {
            name: invited.name,
            time: dateText(invited.link_expires_at, { dateStyle: 'medium', timeStyle: 'short' }),
          })}
          secret={invited.link}
          onClose={() => setInvited(null)}
        />
      )}
    </>
  )
}
