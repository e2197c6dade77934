import { Braces } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { curlOf, isForPrograms } from '../../api/curl.ts'
import { onSentRequest, type SentRequest, sentRequests } from '../../api/sent-requests.ts'
import { t } from '../../languages/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Switch } from '../../ui/switch.tsx'
import { CopyButton } from '../copy-button.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { MethodBadge, StatusText } from '../method-badge.tsx'

/** What this page asked of the API, each to copy as a command: whatever one does here, a program can do too. */
export function PageRequests() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <IconButton label={t('developers.page-requests')} onClick={() => setOpen(true)} aria-haspopup="dialog">
        <Braces className="size-4.5" />
      </IconButton>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={t('developers.page-requests')}
        description={t('developers.page-requests-hint')}
        fills
      >
        <Requests />
      </Dialog>
    </>
  )
}

function Requests() {
  const requests = useSyncExternalStore(onSentRequest, sentRequests)
  const [withReads, setWithReads] = useState(false)
  const shown = requests.filter(({ method }) => withReads || method !== 'GET')
  return (
    <>
      <div className="mb-3 flex shrink-0 items-center justify-between gap-3 text-sm">
        <Switch checked={withReads} onChange={setWithReads} label={t('developers.with-reads')} />
      </div>
      {shown.length === 0 && (
        <p className="py-6 text-center text-sm text-ink-soft">{t('developers.no-changes')}</p>
      )}
      <ol
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        aria-label={t('developers.page-requests')}
        className="min-h-0 flex-1 divide-y divide-line overflow-y-auto"
      >
        {shown.map((request) => (
          <OneRequest key={request.number} request={request} />
        ))}
      </ol>
    </>
  )
}

function OneRequest({ request }: { request: SentRequest }) {
  const { projectId } = useDashboard()
  const { method, path, status } = request
  return (
    <li className="py-3">
      <p dir="ltr" className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1 text-start">
        <MethodBadge method={method} />
        <code className="min-w-0 font-mono text-sm break-all">{path}</code>
        {status !== null && status > 0 && <StatusText status={status} />}
      </p>
      <div className="mt-2">
        {isForPrograms(path) ? (
          <CopyButton label={t('developers.copy-curl')} text={curlOf(request, location.origin, projectId)} />
        ) : (
          <p className="text-sm text-ink-soft">{t('developers.people-only')}</p>
        )}
      </div>
    </li>
  )
}
