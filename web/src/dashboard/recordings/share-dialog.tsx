import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Link2Off } from 'lucide-react'
import { useState } from 'react'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import type { TextId } from '../../languages/catalogs.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Select } from '../../ui/select.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type RecordingShare, recordingShares } from './recording-queries.ts'

const HOUR_S = 3600
const LIFETIMES: readonly { seconds: number; label: TextId }[] = [
  { seconds: HOUR_S, label: 'recordings.one-hour' },
  { seconds: 24 * HOUR_S, label: 'recordings.one-day' },
  { seconds: 7 * 24 * HOUR_S, label: 'recordings.seven-days' },
  { seconds: 30 * 24 * HOUR_S, label: 'recordings.thirty-days' },
  { seconds: 365 * 24 * HOUR_S, label: 'recordings.one-year' },
]

/** Makes links by which anybody plays a recording, and revokes them. */
export function ShareDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const tell = useToast()
  const shares = recordingShares(client, id)
  const query = useQuery(shares)
  const [seconds, setSeconds] = useState(24 * HOUR_S)
  const params = { path: { id } }
  const make = useMutation({
    mutationFn: () =>
      answerOf(
        client.POST('/api/video/room_recordings/{id}/shares', {
          params,
          body: { expires_in_seconds: seconds },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: shares.queryKey }),
  })
  const problem = make.error && apiErrorText(make.error)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('recordings.share')}
      description={t('recordings.share-hint')}
    >
      <div className="space-y-4">
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        <Select
          label={t('recordings.works-for')}
          value={String(seconds)}
          options={LIFETIMES.map((one) => ({ value: String(one.seconds), label: t(one.label) }))}
          onChange={(value) => setSeconds(Number(value))}
        />
        <Button kind="primary" className="w-full" busy={make.isPending} onClick={() => make.mutate()}>
          {t('recordings.make-link')}
        </Button>
        {make.data && (
          <div className="rounded-md border border-line bg-sunken p-3">
            <code dir="ltr" data-share-link className="block font-mono text-sm break-all text-ink select-all">
              {make.data.uri}
            </code>
            <Button
              size="small"
              className="mt-3"
              onClick={() =>
                void navigator.clipboard.writeText(make.data.uri).then(() => tell(t('recordings.copied')))
              }
            >
              <Copy aria-hidden className="size-4" />
              {t('recordings.copy')}
            </Button>
          </div>
        )}
        <Asking query={query} placeholder="h-12">
          {({ data }) =>
            data.length > 0 && (
              <ShareList
                recordingId={id}
                shares={data}
                onRevoked={(share) => share === make.data?.id && make.reset()}
              />
            )
          }
        </Asking>
      </div>
    </Dialog>
  )
}

interface ShareListProps {
  recordingId: string
  shares: readonly RecordingShare[]
  onRevoked: (shareId: string) => void
}

function ShareList({ recordingId, shares, onRevoked }: ShareListProps) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: (share_id: string) => {
      const params = { path: { id: recordingId, share_id } }
      return answerOf(client.DELETE('/api/video/room_recordings/{id}/shares/{share_id}', { params }))
    },
    onSuccess: (_, share_id) => onRevoked(share_id),
    onSettled: () => queries.invalidateQueries({ queryKey: recordingShares(client, recordingId).queryKey }),
  })
  return (
    <section>
      <h3 className="mb-1 text-sm font-medium">{t('recordings.links')}</h3>
      <ul className="divide-y divide-line">
        {shares.map(({ id, expires_at }) => (
          <li key={id} className="flex min-h-11 items-center justify-between gap-3 text-sm">
            <span>
              {t('recordings.until-time', {
                time: dateText(expires_at, { dateStyle: 'medium', timeStyle: 'short' }),
              })}
            </span>
            <Button
              size="small"
              kind="quiet"
              busy={revoke.isPending && revoke.variables === id}
              onClick={() => revoke.mutate(id)}
            >
              <Link2Off aria-hidden className="size-4" />
              {t('recordings.revoke')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
