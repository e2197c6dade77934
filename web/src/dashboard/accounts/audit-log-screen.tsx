import { useInfiniteQuery } from '@tanstack/react-query'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { type AuditEntry, auditLog } from './accounts-queries.ts'
import { OwnersOnly } from './owners-only.tsx'

/** What administration did in the project, newest first. */
export function AuditLogScreen() {
  const { client } = useDashboard()
  const query = useInfiniteQuery(auditLog(client))
  return (
    <>
      <ScreenHead title={t('dashboard.audit-log')} />
      <OwnersOnly error={query.error}>
        <Asking query={query} placeholder="h-64">
          {({ pages }) => (
            <ol className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card empty:hidden">
              {pages.flatMap(({ data }) => data.map((entry) => <EntryRow key={entry.id} entry={entry} />))}
            </ol>
          )}
        </Asking>
      </OwnersOnly>
      <OlderButton query={query} label={t('accounts.older')} />
    </>
  )
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const { actor, action, details, created_at } = entry
  const facts = Object.entries(details).map(([name, value]) => `${name}: ${valueText(value)}`)
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-3 text-sm sm:grid-cols-[11rem_minmax(0,1fr)] lg:grid-cols-[11rem_minmax(0,14rem)_minmax(0,1fr)]">
      <time dateTime={created_at} className="text-ink-soft">
        {dateText(created_at, { dateStyle: 'medium', timeStyle: 'medium' })}
      </time>
      <span className="break-words">
        <bdi>{actorText(actor)}</bdi>
      </span>
      <span dir="ltr" className="min-w-0 text-start break-words sm:col-span-2 lg:col-span-1">
        <code className="font-mono font-medium">{action}</code>
        {facts.length > 0 && <span className="block text-ink-soft">{facts.join(' · ')}</span>}
      </span>
    </li>
  )
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function actorText({ kind, name }: AuditEntry['actor']): string {
  if (kind === 'user') return name
  return kind === 'server' ? t('accounts.actor-server') : t(`accounts.actor-${kind}`, { name })
}
