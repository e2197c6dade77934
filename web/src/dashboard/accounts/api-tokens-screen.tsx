import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { type ApiToken, apiTokens, type FreshApiToken, TOKENS_KEY } from './accounts-queries.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { OwnersOnly } from './owners-only.tsx'
import { ShownOnce } from './shown-once.tsx'

/** The API tokens of the project. */
export function ApiTokensScreen() {
  const { client } = useDashboard()
  const query = useQuery(apiTokens(client))
  const [isMaking, setMaking] = useState(false)
  const [fresh, setFresh] = useState<FreshApiToken | null>(null)
  return (
    <>
      <ScreenHead title={t('dashboard.api-tokens')}>
        {query.data && (
          <Button kind="primary" size="small" onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-4.5" />
            {t('accounts.new-token')}
          </Button>
        )}
      </ScreenHead>
      <OwnersOnly error={query.error}>
        <Asking query={query} placeholder="h-40">
          {({ data }) => (
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card empty:hidden">
              {data.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </ul>
          )}
        </Asking>
      </OwnersOnly>
      {isMaking && (
        <NewTokenDialog
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            setFresh(made)
          }}
        />
      )}
      {fresh && (
        <ShownOnce
          title={t('accounts.token-shown', { name: fresh.name })}
          description={t('accounts.token-shown-hint')}
          secret={fresh.token}
          onClose={() => setFresh(null)}
        />
      )}
    </>
  )
}

function TokenRow({ token }: { token: ApiToken }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const { id, name, scopes, last_used_at } = token
  const revoke = useMutation({
    mutationFn: () =>
      answerOf(client.DELETE('/api/management/api_tokens/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries({ queryKey: TOKENS_KEY })
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3">
      <div className="min-w-48 flex-1">
        <p className="truncate font-medium">
          <bdi>{name}</bdi>
        </p>
        <p className="text-sm text-ink-soft">
          {last_used_at === null
            ? t('accounts.never-used')
            : t('accounts.last-used', {
                time: dateText(last_used_at, { dateStyle: 'medium', timeStyle: 'short' }),
              })}
        </p>
        <ul aria-label={t('accounts.token-scopes')} className="mt-1.5 flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <li key={scope} dir="ltr" className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-xs">
              {scope}
            </li>
          ))}
        </ul>
      </div>
      <Button size="small" onClick={() => setAsking(true)}>
        {t('accounts.revoke')}
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={t('accounts.revoke-question', { name })}
        description={t('accounts.revoke-hint')}
        action={t('accounts.revoke')}
        busy={revoke.isPending}
        problem={revoke.error ? apiErrorText(revoke.error) : null}
        onConfirm={() => revoke.mutate()}
      />
    </li>
  )
}
