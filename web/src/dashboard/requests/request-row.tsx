import { dateText, numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { MethodBadge, StatusText } from '../method-badge.tsx'
import type { LoggedRequest } from './request-queries.ts'

/** One request of the log: what was asked, what came of it, and whose it was. */
export function RequestRow({ request }: { request: LoggedRequest }) {
  const { time, method, path, status, duration_ms, error_code, request_id } = request
  const when = dateText(time, { dateStyle: 'short', timeStyle: 'medium' })
  return (
    <li className="grid gap-x-6 gap-y-1 px-4 py-3 text-sm sm:grid-cols-[minmax(0,1fr)_auto]">
      <p dir="ltr" className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-1 text-start">
        <StatusText status={status} />
        <MethodBadge method={method} />
        <code className="min-w-0 font-mono break-all">{path}</code>
        {error_code && <code className="font-mono text-warning-ink">{error_code}</code>}
      </p>
      <p className="text-ink-soft tabular-nums sm:text-end">
        <time dateTime={time}>{when}</time>
        {' · '}
        {t('developers.milliseconds', { ms: numberText(duration_ms) })}
      </p>
      <p className="flex min-w-0 flex-wrap gap-x-3 text-ink-soft sm:col-span-2">
        <bdi className="break-all">{credentialText(request)}</bdi>
        <code dir="ltr" className="font-mono text-xs leading-5 break-all select-all">
          {request_id}
        </code>
      </p>
    </li>
  )
}

function credentialText({ credential_kind, credential_name }: LoggedRequest): string {
  if (credential_kind === 'end-user') return t('developers.end-user')
  const name = credential_name ?? ''
  return credential_kind === 'user' ? name : t('developers.api-token', { name })
}
