import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { DRAIN_KEY, drainState } from './server-queries.ts'

/** Empties the server before a restart: no new session begins, and those that run go on. */
export function DrainCard() {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const query = useQuery(drainState(client))
  const change = useMutation({
    mutationFn: (draining: boolean) =>
      answerOf(client.PUT('/api/dashboard/server/drain', { body: { draining } })),
    onSuccess: (state) => {
      queries.setQueryData(DRAIN_KEY, state)
      setAsking(false)
    },
  })
  const problem = change.error ? apiErrorText(change.error) : null
  return (
    <Card title={t('server.drain')}>
      <Asking query={query} placeholder="h-24">
        {({ draining, sessions }) => (
          <>
            {draining && (
              <Notice
                tone="warning"
                title={t('server.draining')}
                hint={t('server.draining-hint', { count: sessions })}
                className="mb-4"
              />
            )}
            {problem && !isAsking && (
              <Notice tone="danger" title={problem.title} hint={problem.hint} className="mb-4" />
            )}
            {!draining && <p className="mb-4 text-sm text-ink-soft">{t('server.drain-hint')}</p>}
            {draining ? (
              <Button busy={change.isPending} onClick={() => change.mutate(false)}>
                {t('server.drain-end')}
              </Button>
            ) : (
              <Button onClick={() => setAsking(true)}>{t('server.drain-begin')}</Button>
            )}
          </>
        )}
      </Asking>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={t('server.drain-question')}
        description={t('server.drain-hint')}
        action={t('server.drain-begin')}
        decline={t('server.drain-decline')}
        harmless
        busy={change.isPending}
        problem={problem}
        onConfirm={() => change.mutate(true)}
      />
    </Card>
  )
}
