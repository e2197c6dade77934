import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { dateText, numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { BACKUPS_KEY, type Backups, backups } from './server-queries.ts'

/** The backups of the server, and a button for another. */
export function BackupsCard() {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const query = useQuery(backups(client))
  const start = useMutation({
    mutationFn: () => answerOf(client.POST('/api/dashboard/server/backups')),
    onSuccess: (state) => queries.setQueryData(BACKUPS_KEY, state),
  })
  const refused = start.error ? apiErrorText(start.error) : null
  return (
    <Card
      title={t('server.backups')}
      aside={
        query.data && (
          <Button size="small" busy={start.isPending || query.data.running} onClick={() => start.mutate()}>
            {t('server.back-up-now')}
          </Button>
        )
      }
    >
      {start.error && refused && (
        <Notice tone="danger" title={refused.title} hint={start.error.message} className="mb-4" />
      )}
      <Asking query={query} placeholder="h-24">
        {(state) => <BackupList state={state} />}
      </Asking>
    </Card>
  )
}

function BackupList({
  state: { folder, free_bytes, running, copied_bytes, problem, data },
}: {
  state: Backups
}) {
  return (
    <>
      <div role="status">
        {running && (
          <p className="mb-3 text-sm font-medium">
            {t('server.backing-up', { size: sizeText(copied_bytes) })}
          </p>
        )}
      </div>
      {problem !== null && !running && (
        <Notice tone="danger" title={t('server.backup-failed')} hint={problem} className="mb-4" />
      )}
      {data.length === 0 && <p className="mb-3 text-sm text-ink-soft">{t('server.no-backups')}</p>}
      <ul className="mb-3 max-h-72 divide-y divide-line overflow-y-auto empty:hidden">
        {data.map(({ name, created_at, bytes, version }) => (
          <li key={name} className="flex flex-wrap justify-between gap-x-4 py-2 text-sm">
            <time dateTime={created_at}>
              {dateText(created_at, { dateStyle: 'medium', timeStyle: 'medium' })}
            </time>
            <span className="text-ink-soft tabular-nums">
              {sizeText(bytes)} · {version}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-ink-soft">
        {t('server.backup-folder', { free: sizeText(free_bytes) })}{' '}
        <code dir="ltr" className="font-mono text-xs break-all select-all">
          {folder}
        </code>
      </p>
    </>
  )
}

/** A size in megabytes or gigabytes. */
function sizeText(bytes: number): string {
  const isLarge = bytes >= 1e9
  return numberText(bytes / (isLarge ? 1e9 : 1e6), {
    style: 'unit',
    unit: isLarge ? 'gigabyte' : 'megabyte',
    maximumFractionDigits: 1,
  })
}
