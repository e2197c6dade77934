import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleUserRound } from 'lucide-react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { usePerson } from '../../api/signed-in-access.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { type OwnSession, ownSessions, SESSIONS_KEY } from './accounts-queries.ts'
import { PasswordCard } from './password-card.tsx'

/** The own account of a user: the password, and where the user is signed in. */
export function AccountScreen() {
  const person = usePerson()
  if (!person) {
    return (
      <>
        <ScreenHead title={t('dashboard.account')} />
        <EmptyState
          icon={<CircleUserRound className="size-6" />}
          title={t('accounts.token-account')}
          hint={t('accounts.token-account-hint')}
        />
      </>
    )
  }
  return (
    <>
      <ScreenHead title={t('dashboard.account')} />
      <p className="-mt-4 mb-6 text-sm text-ink-soft">
        {t('accounts.signed-in-as', { name: person.name })}
        {' · '}
        {t('accounts.your-role', { role: t(`accounts.role-${person.role}`) })}
      </p>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <PasswordCard hasPassword={person.hasPassword} />
        <SessionsCard />
      </div>
    </>
  )
}

function SessionsCard() {
  const { client } = useDashboard()
  const query = useQuery(ownSessions(client))
  return (
    <Card title={t('accounts.sessions')}>
      <Asking query={query} placeholder="h-24">
        {({ data }) => (
          <ul className="divide-y divide-line">
            {data.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Asking>
    </Card>
  )
}

function SessionRow({ session }: { session: OwnSession }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const { id, user_agent, is_current, last_used_at } = session
  const end = useMutation({
    mutationFn: () => answerOf(client.DELETE('/api/dashboard/sessions/{id}', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: SESSIONS_KEY }),
  })
  const problem = end.error && apiErrorText(end.error)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 text-sm first:pt-0 last:pb-0">
      <div className="min-w-40 flex-1">
        <p dir="ltr" className="line-clamp-2 text-start font-medium break-words">
          {user_agent}
        </p>
        <p className="text-ink-soft">
          {is_current
            ? t('accounts.this-browser')
            : t('accounts.last-used', {
                time: dateText(last_used_at, { dateStyle: 'medium', timeStyle: 'short' }),
              })}
        </p>
      </div>
      {!is_current && (
        <Button size="small" busy={end.isPending} onClick={() => end.mutate()}>
          {t('accounts.end-session')}
        </Button>
      )}
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} className="w-full" />}
    </li>
  )
}
